package io.deepvm.cluster.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.member.Report;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatusGateTest {

  private final StatusGate gate = new StatusGate();

  private static AgentStatus status(
      long version, long step, AgentStatus.@Nullable MachineNotice notice) {
    return new AgentStatus(
        "n1",
        version,
        "host",
        new AgentStatus.TrainingProcess(1, true, 1, null),
        new AgentStatus.Barrier(0, 0, 0, 0, null, null),
        new AgentStatus.Work(new Report.Step(1, step, step, 1, 0, 0, 0, 0), List.of(), null, 0),
        notice);
  }

  @Test
  void aSecondStepWithinThePauseIsHeld() {
    assertThat(gate.passes(status(1, 1, null), 1_000)).isTrue();
    assertThat(gate.passes(status(2, 2, null), 1_100)).isFalse();
    assertThat(gate.release(1_260)).extracting(AgentStatus::version).containsExactly(2L);
  }

  @Test
  void aNoticeOfTheMachineIsNotHeldBesideAStep() {
    AgentStatus.MachineNotice notice = new AgentStatus.MachineNotice(1, 120, "its signal", true);
    assertThat(gate.passes(status(1, 1, null), 1_000)).isTrue();
    assertThat(gate.passes(status(2, 2, notice), 1_100)).isTrue();
  }
}
