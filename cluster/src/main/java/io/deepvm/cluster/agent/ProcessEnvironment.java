package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.member.Member;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The variables that a training process finds: ours, torchrun's and SkyPilot's. */
final class ProcessEnvironment {

  /** Where a process looks for the notice that its node will be taken. */
  static final String NOTICE_FILE = "notice.json";

  private static final String THREADS = "OMP_NUM_THREADS";

  private ProcessEnvironment() {}

  /** Returns what every training process gets. */
  static Map<String, String> of(NodeStart start, Work work) {
    Map<String, String> env = new LinkedHashMap<>();
    if (System.getenv(THREADS) == null) {
      // Engines that take all cores for each process collapse beside each other.
      env.put(THREADS, "1");
    }
    env.putAll(start.environment());
    env.put("DEEPVM_CHECKPOINT", checkpoint(start, work));
    env.put("DEEPVM_NOTICE_FILE", Path.of(start.folder(), NOTICE_FILE).toString());
    env.putAll(work.environment());
    return env;
  }

  /** Returns the folder for checkpoints; on another machine it is meant from the node's folder. */
  private static String checkpoint(NodeStart start, Work work) {
    return work.checkpoint().startsWith("..")
        ? Path.of(start.folder(), work.checkpoint()).normalize().toString()
        : work.checkpoint();
  }

  /** Returns what each process of a command gets in a generation, by its local rank. */
  static List<Map<String, String>> ofEach(
      NodeStart start, Work work, AgentOrders.Formation generation) {
    int processes = generation.members().get(generation.rank(start.node())).processes();
    return IntStream.range(0, processes)
        .mapToObj(local -> of(start, work, generation, local))
        .toList();
  }

  private static Map<String, String> of(
      NodeStart start, Work work, AgentOrders.Formation generation, int localRank) {
    int nodeRank = generation.rank(start.node());
    String node = Integer.toString(nodeRank);
    String nodes = Integer.toString(generation.members().size());
    String rank = Integer.toString(generation.firstRank(start.node()) + localRank);
    String world = Integer.toString(generation.worldSize());
    Map<String, String> env = of(start, work);
    env.put("DEEPVM_GENERATION", Long.toString(generation.number()));
    env.put("RANK", rank);
    env.put("LOCAL_RANK", Integer.toString(localRank));
    env.put("GROUP_RANK", node);
    env.put("ROLE_RANK", rank);
    env.put("ROLE_NAME", "default");
    env.put("WORLD_SIZE", world);
    env.put("LOCAL_WORLD_SIZE", Integer.toString(generation.members().get(nodeRank).processes()));
    env.put("GROUP_WORLD_SIZE", nodes);
    env.put("ROLE_WORLD_SIZE", world);
    env.put("MASTER_ADDR", generation.members().get(0).host());
    env.put("MASTER_PORT", Integer.toString(generation.masterPort()));
    env.put("TORCHELASTIC_RUN_ID", start.run());
    env.put("TORCHELASTIC_RESTART_COUNT", Integer.toString(generation.restarts()));
    env.put("TORCHELASTIC_MAX_RESTARTS", Integer.toString(work.maxRestarts()));
    env.put("SKYPILOT_NODE_RANK", node);
    env.put("SKYPILOT_NUM_NODES", nodes);
    env.put(
        "SKYPILOT_NODE_IPS",
        generation.members().stream().map(Member::host).collect(Collectors.joining("\n")));
    env.put("SKYPILOT_NUM_GPUS_PER_NODE", env.getOrDefault("SKYPILOT_NUM_GPUS_PER_NODE", "0"));
    env.put("SKYPILOT_TASK_ID", start.run());
    return env;
  }
}
