package io.deepvm.handover;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/** A SkyPilot task. All of its nodes are alike; runners-up become its failover. */
final class SkyPilot implements Handover {

  private static final String CHECKPOINTS = "/checkpoints";

  /** Sets what torch.distributed reads, from SkyPilot's variables. */
  private static final String RANKS =
      """
      export MASTER_ADDR=$(echo "$SKYPILOT_NODE_IPS" | head -n 1) MASTER_PORT=29500
      if [ "$LOCAL_WORLD_SIZE" -lt 1 ]; then LOCAL_WORLD_SIZE=1; fi
      FIRST_RANK=$((SKYPILOT_NODE_RANK * LOCAL_WORLD_SIZE))
      export LOCAL_WORLD_SIZE WORLD_SIZE=$((SKYPILOT_NUM_NODES * LOCAL_WORLD_SIZE))
      """;

  /**
   * SkyPilot may fail over to a type with another number of GPUs, so it says how many there are.
   */
  private static final String ONE_A_GPU = "${SKYPILOT_NUM_GPUS_PER_NODE:-1}";

  @Override
  public String tool() {
    return "skypilot";
  }

  @Override
  public String file() {
    return "task.yaml";
  }

  @Override
  public String text(HandedPlan plan, Task task) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("name", task.plainName());
    root.put("num_nodes", plan.workerCount());
    Notes notes = new Notes(plan);
    resources(root.putObject("resources"), plan, notes);
    if (task.workdir() != null) {
      root.put("workdir", task.workdir());
    }
    ObjectNode bucket = root.putObject("file_mounts").putObject(CHECKPOINTS);
    bucket.put("name", task.plainName() + "-checkpoints");
    bucket.put("mode", "MOUNT_CACHED");
    root.putObject("envs").put("DEEPVM_CHECKPOINT", CHECKPOINTS);
    if (!task.setup().isEmpty()) {
      root.put("setup", task.setup());
    }
    root.put("run", run(task));
    losses(plan, notes);
    notes.about(new Processes(plan, task));
    return notes.comment() + Yaml.of(root);
  }

  private static String run(Task task) {
    Integer stated = task.processes();
    return "LOCAL_WORLD_SIZE=%s\n".formatted(stated == null ? ONE_A_GPU : stated)
        + RANKS
        + "set -- %s\n".formatted(task.commandLine())
        + Processes.launcher();
  }

  private static void losses(HandedPlan plan, Notes notes) {
    if (!plan.others().isEmpty()) {
      notes.lost(
          "%s: SkyPilot has no such node, so checkpoints go to a bucket at %s."
              .formatted(
                  plan.others().stream()
                      .map(PlannedNodes::words)
                      .reduce((a, b) -> a + ", " + b)
                      .orElse(""),
                  CHECKPOINTS));
    }
    if (plan.nodes().stream().anyMatch(group -> group.site().zone() != null)) {
      notes.lost("Zones: SkyPilot's zone names differ between accounts, so it may take any zone.");
    }
    notes.lost("When one node is preempted, SkyPilot starts all of them again.");
    notes.lost("There is no ceiling on the bill: maybe set autostop, or watch it.");
  }

  private static void resources(ObjectNode resources, HandedPlan plan, Notes notes) {
    // Alternatives in the order of the ranking; each choice is given once.
    Map<ObjectNode, Boolean> choices = new LinkedHashMap<>();
    choices.put(choice(plan, notes), true);
    int left = 0;
    for (HandedPlan other : plan.runnersUp()) {
      if (other.workers().size() == 1 && other.workerCount() == plan.workerCount()) {
        choices.put(choice(other, notes), true);
      } else {
        left++;
      }
    }
    if (left > 0) {
      notes.lost(
          "%d of the plans ranked below: they have another number of nodes, or mix types."
              .formatted(left));
    }
    ArrayNode ordered = resources.putArray("ordered");
    choices.keySet().forEach(ordered::add);
  }

  private static ObjectNode choice(HandedPlan plan, Notes notes) {
    PlannedNodes most =
        plan.workers().stream()
            .max(Comparator.comparingInt(PlannedNodes::count))
            .orElseThrow(() -> new IllegalArgumentException("A plan has workers."));
    if (plan.workers().size() > 1) {
      BigDecimal usd = most.usd().multiply(BigDecimal.valueOf(plan.workerCount()));
      notes.lost(
          "The mix of types: all %d workers become %s, which costs $%s/h."
              .formatted(plan.workerCount(), most.instanceType(), usd.toPlainString()));
    }
    ObjectNode choice = JsonNodeFactory.instance.objectNode();
    choice.put("infra", most.site().cloud() + "/" + most.site().region());
    choice.put("instance_type", most.instanceType());
    choice.put("use_spot", most.spot());
    return choice;
  }
}
