package io.deepvm.cluster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.link.AgentOrders.Formation;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Role;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessEnvironmentTest {

  /** Nodes of four, one and two processes. */
  private static final Formation MIXED =
      new Formation(
          5,
          List.of(member("n1", "10.0.0.1", 4), member("n7", "10.0.0.7", 1), member("n2", "h", 2)),
          1,
          4711);

  private static final Work WORK =
      new Work(
          List.of("true"),
          Work.Kind.COMMAND,
          Map.of(),
          "/saved",
          3,
          "",
          Work.Timeouts.USUAL,
          "/",
          Map.of());

  private static Member member(String node, String host, int processes) {
    return new Member(node, Role.WORKER, host, 0, "aws/us-east-1/a", processes);
  }

  private static List<Map<String, String>> of(String node) {
    NodeStart start =
        new NodeStart(
            "run",
            node,
            Role.WORKER,
            new AgentContact.Dial("10.0.0.9", 4000),
            "token",
            "h",
            "/folder",
            new NodeStart.Machine("type", 1, 0));
    return ProcessEnvironment.ofEach(start, WORK, MIXED);
  }

  @Test
  void ranksGoOnFromNodeToNodeWhateverEachHas() {
    assertThat(of("n1")).extracting(env -> env.get("RANK")).containsExactly("0", "1", "2", "3");
    assertThat(of("n7")).extracting(env -> env.get("RANK")).containsExactly("4");
    assertThat(of("n2")).extracting(env -> env.get("RANK")).containsExactly("5", "6");
    assertThat(MIXED.worldSize()).isEqualTo(7);
  }

  @Test
  void aProcessFindsTheVariablesOfTorchrun() {
    assertThat(of("n2").get(1))
        .containsEntry("RANK", "6")
        .containsEntry("LOCAL_RANK", "1")
        .containsEntry("GROUP_RANK", "2")
        .containsEntry("ROLE_RANK", "6")
        .containsEntry("ROLE_NAME", "default")
        .containsEntry("WORLD_SIZE", "7")
        .containsEntry("LOCAL_WORLD_SIZE", "2")
        .containsEntry("GROUP_WORLD_SIZE", "3")
        .containsEntry("ROLE_WORLD_SIZE", "7")
        .containsEntry("MASTER_ADDR", "10.0.0.1")
        .containsEntry("MASTER_PORT", "4711")
        .containsEntry("TORCHELASTIC_RUN_ID", "run")
        .containsEntry("TORCHELASTIC_RESTART_COUNT", "1")
        .containsEntry("TORCHELASTIC_MAX_RESTARTS", "3")
        .containsEntry("SKYPILOT_NODE_RANK", "2")
        .containsEntry("SKYPILOT_NUM_NODES", "3")
        .containsEntry("SKYPILOT_NODE_IPS", "10.0.0.1\n10.0.0.7\nh")
        .containsEntry("DEEPVM_GENERATION", "5")
        .containsEntry("DEEPVM_COORDINATOR", "10.0.0.9:4000")
        .doesNotContainKey("CUDA_VISIBLE_DEVICES");
  }

  @Test
  void aTypeThatNothingIsSaidOfStartsOneProcess() {
    Work work = WORK.withProcesses(Map.of("p3.8xlarge", 4));
    assertThat(work.processes("p3.8xlarge")).isEqualTo(4);
    assertThat(work.processes("g4dn.xlarge")).isEqualTo(1);
  }
}
