package io.deepvm.cluster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.member.Role;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeStartTest {

  private static NodeStart start(AgentContact contact) {
    return new NodeStart(
        "run",
        "n1",
        Role.SERVER,
        contact,
        "/run/token",
        "10.0.0.1",
        "/run/n1",
        new NodeStart.Machine("p3.2xlarge", 0.5, 12));
  }

  @Test
  void whatIsWrittenIsRead() {
    NodeStart dials = start(new AgentContact.Dial("10.0.0.9", 4000));
    NodeStart listens = start(new AgentContact.Listen(4001));
    assertThat(NodeStart.of(dials.environment())).isEqualTo(dials);
    assertThat(NodeStart.of(listens.environment())).isEqualTo(listens);
    assertThat(dials.environment()).containsEntry("DEEPVM_COORDINATOR", "10.0.0.9:4000");
  }

  @Test
  void theHostOfACoordinatorMayHaveColons() {
    NodeStart start = start(new AgentContact.Dial("fe80::1", 4000));
    assertThat(NodeStart.of(start.environment())).isEqualTo(start);
  }

  @Test
  void aVariableThatIsMissingOrWrongIsNamed() {
    Map<String, String> env = new HashMap<>(start(new AgentContact.Listen(1)).environment());
    env.remove("DEEPVM_LISTEN_PORT");
    assertThatThrownBy(() -> NodeStart.of(env))
        .isInstanceOf(BadInput.class)
        .hasMessage("An agent needs the variable DEEPVM_COORDINATOR or DEEPVM_LISTEN_PORT.");
    env.put("DEEPVM_LISTEN_PORT", "1");
    env.put("DEEPVM_SPEED", "fast");
    assertThatThrownBy(() -> NodeStart.of(env))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("fast");
    env.remove("DEEPVM_NODE");
    assertThatThrownBy(() -> NodeStart.of(env))
        .isInstanceOf(BadInput.class)
        .hasMessage("An agent needs the variable DEEPVM_NODE.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "h", "h:", "h:0", "h:65536", "h:x"})
  void aCoordinatorWithoutAPortIsRefused(String address) {
    Map<String, String> env = new HashMap<>(start(new AgentContact.Dial("h", 1)).environment());
    env.put("DEEPVM_COORDINATOR", address);
    assertThatThrownBy(() -> NodeStart.of(env))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("DEEPVM_COORDINATOR");
  }
}
