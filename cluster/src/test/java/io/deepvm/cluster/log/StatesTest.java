package io.deepvm.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.member.Role;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatesTest {

  @ParameterizedTest
  @CsvSource({
    "REQUESTED, BOOTING",
    "BOOTING, READY",
    "READY, TRAINING",
    "TRAINING, NOTICED",
    "NOTICED, LOST",
    "NOTICED, TRAINING",
    "TRAINING, RELEASED",
    "BOOTING, FAILED",
  })
  void aNodeMayGo(NodeState from, NodeState to) {
    assertThat(from.mayTurn(to)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "REQUESTED, TRAINING",
    "BOOTING, TRAINING",
    "LOST, READY",
    "RELEASED, LOST",
    "FAILED, BOOTING",
    "TRAINING, TRAINING",
  })
  void aNodeMayNotGo(NodeState from, NodeState to) {
    assertThat(from.mayTurn(to)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "STOPPING, INTERRUPTED",
    "INTERRUPTED, WAITING",
    "INTERRUPTED, STOPPING",
    "STOPPING, INFEASIBLE",
  })
  void aRunMayGo(RunPhase from, RunPhase to) {
    assertThat(from.mayTurn(to)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"INFEASIBLE, WAITING", "TRAINING, INTERRUPTED", "INTERRUPTED, TRAINING"})
  void aRunThatIsGivenUpDoesNotGoOnAndAnInterruptionIsNoEnd(RunPhase from, RunPhase to) {
    assertThat(from.mayTurn(to)).isFalse();
    assertThat(RunPhase.INTERRUPTED.isEnd()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"WAITING, TRAINING", "TRAINING, FINISHED", "STOPPED, WAITING", "FINISHED, STOPPING"})
  void aRunMayNotGo(RunPhase from, RunPhase to) {
    assertThat(from.mayTurn(to)).isFalse();
  }

  @Test
  void aLostNodeThatTrainsAgainIsRefused() {
    History history = new History();
    history.add(at(new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 1)));
    history.add(at(new Event.NodeTurned("n1", NodeState.BOOTING, "")));
    history.add(at(new Event.NodeTurned("n1", NodeState.LOST, "")));
    assertThatThrownBy(() -> history.add(at(new Event.NodeTurned("n1", NodeState.READY, ""))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("The node n1 cannot go from LOST to READY.");
  }

  @Test
  void aNameIsUsedOnce() {
    History history = new History();
    history.add(at(new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 1)));
    assertThatThrownBy(
            () -> history.add(at(new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 1))))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void generationsOnlyGoUp() {
    History history = new History();
    history.add(at(new Event.Generation(2, List.of("n1"), 0)));
    assertThatThrownBy(() -> history.add(at(new Event.Generation(2, List.of(), 0))))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aRunThatWaitsCannotTrain() {
    assertThatThrownBy(() -> new History().add(at(new Event.RunTurned(RunPhase.TRAINING, ""))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("A run cannot go from WAITING to TRAINING.");
  }

  private static Logged at(Event event) {
    return new Logged(0, 0, event);
  }
}
