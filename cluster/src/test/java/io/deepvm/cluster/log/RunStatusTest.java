package io.deepvm.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RunStatusTest {

  private static final long HOUR = 3_600_000;

  private final List<Logged> events = new ArrayList<>();

  private void at(long marketMs, Event event) {
    // The market goes a hundred times as fast as the clock.
    events.add(new Logged(1_000_000 + marketMs / 100, marketMs, event));
  }

  private void node(long marketMs, String name, NodeState... states) {
    for (NodeState state : states) {
      at(marketMs, new Event.NodeTurned(name, state, "why"));
    }
  }

  private void rent(long marketMs, String name, Market market, long micros) {
    at(marketMs, new Event.Rented(name, Role.WORKER, 0, "here", market, micros));
  }

  @Test
  void nodesArePaidAtThePricesOfTheirTime() {
    at(0, new Event.Started("run", 100, 1, 0, 0));
    rent(0, "n1", Market.SPOT, 1_000_000);
    rent(0, "n2", Market.ON_DEMAND, 4_000_000);
    at(HOUR, new Event.Priced(0, 3_000_000));
    node(HOUR + HOUR / 2, "n1", NodeState.BOOTING, NodeState.LOST);
    at(2 * HOUR, new Event.Priced(0, 9_000_000));

    RunStatus status = RunStatus.of(events);

    assertThat(status.nodes().get(0).cost()).isEqualTo(new Money(1_000_000 + 1_500_000));
    assertThat(status.nodes().get(1).cost()).isEqualTo(new Money(8_000_000));
    assertThat(status.cost()).isEqualTo(new Money(10_500_000));
    assertThat(status.held()).extracting(NodeStatus::node).containsExactly("n2");
  }

  @Test
  void anchorsArePaidForAsLongAsTheRunLasts() {
    at(0, new Event.Started("run", 100, 1, 0, 2_000_000));
    rent(0, "n1", Market.SPOT, 1_000_000);
    node(HOUR, "n1", NodeState.BOOTING, NodeState.LOST);
    at(3 * HOUR, new Event.Priced(0, 1_000_000));
    assertThat(RunStatus.of(events).cost()).isEqualTo(new Money(1_000_000 + 6_000_000));
  }

  @Test
  void aShortLifeIsPaidForALeastTime() {
    at(0, new Event.Started("run", 100, 1_000, 60_000, 0));
    rent(0, "n1", Market.SPOT, 3_600_000);
    node(1_500, "n1", NodeState.RELEASED);
    assertThat(RunStatus.of(events).cost()).isEqualTo(new Money(60_000));
  }

  @Test
  void aLossIsRecoveredWhenAllTrainAgain() {
    at(0, new Event.Started("run", 100, 1, 0, 0));
    rent(0, "n1", Market.SPOT, 1);
    rent(0, "n2", Market.SPOT, 1);
    node(0, "n1", NodeState.BOOTING, NodeState.READY);
    node(0, "n2", NodeState.BOOTING, NodeState.READY);
    at(0, new Event.Generation(1, List.of("n1", "n2"), 0));
    at(0, new Event.RunTurned(RunPhase.FORMING, ""));
    at(0, new Event.RunTurned(RunPhase.TRAINING, ""));
    at(0, new Event.Joined("n1", 1, 0, Report.Origin.FRESH));
    at(1_000, new Event.Progress("n1", 1, 10, 640, 0.5, 0, 0, 0, 0));
    at(1_500, new Event.Saved("n1", 10, "DURABLE", ""));
    at(2_000, new Event.Progress("n1", 1, 20, 1280, 0.4, 0, 0, 0, 0));
    node(5_000, "n2", NodeState.NOTICED);
    at(10_000, new Event.Taken("n2", "the market"));
    node(20_000, "n2", NodeState.LOST);
    at(20_000, new Event.Generation(2, List.of("n1"), 0));
    at(20_000, new Event.RunTurned(RunPhase.FORMING, ""));
    at(30_000, new Event.Joined("n1", 2, 15, Report.Origin.KEPT));
    at(30_000, new Event.RunTurned(RunPhase.TRAINING, ""));

    RunStatus status = RunStatus.of(events);

    assertThat(status.revocations())
        .containsExactly(new Revoked("n2", "why", true, 20_000, 1_000_100, 200));
    assertThat(status.lostSteps()).isEqualTo(5);
    assertThat(status.step()).isEqualTo(15);
    assertThat(status.safeStep()).isEqualTo(10);
    assertThat(status.safeSamples()).isEqualTo(640);
    assertThat(status.generation()).isEqualTo(2);
    assertThat(status.members()).containsExactly("n1");
    assertThat(status.state()).isEqualTo(RunPhase.TRAINING);
  }

  @Test
  void anybodyMayAskWhileNodesAreRented() throws Exception {
    int many = 5_000;
    at(0, new Event.Started("run", 100, 1, 0, 0));
    for (int n = 0; n < many; n++) {
      rent(n, "n" + n, Market.SPOT, 1);
    }
    History history = new History();
    CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> events.forEach(history::add));
    while (!adding.isDone()) {
      assertThat(history.status(1_000_000).nodes()).hasSizeBetween(0, many);
    }
    adding.get(10, TimeUnit.SECONDS);
    assertThat(history.status().nodes()).hasSize(many);
  }
}
