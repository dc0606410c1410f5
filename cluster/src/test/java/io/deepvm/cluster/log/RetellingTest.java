package io.deepvm.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.member.Role;
import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Timeline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetellingTest {

  private final List<Logged> events = new ArrayList<>();

  private void at(long seconds, Event event) {
    events.add(new Logged(seconds * 1000, seconds * 1000, event));
  }

  @Test
  void aRealRunIsToldLikeASimulatedOne() {
    at(0, new Event.Started("run", 1, 1, 0, 0));
    at(0, new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 3_600_000));
    at(0, new Event.NodeTurned("n1", NodeState.BOOTING, ""));
    at(10, new Event.NodeTurned("n1", NodeState.READY, ""));
    at(12, new Event.NodeTurned("n1", NodeState.TRAINING, ""));
    at(20, new Event.Progress("n1", 1, 5, 500, 0.5, 0, 0, 0, 0));
    at(21, new Event.Saved("n1", 5, "DURABLE", ""));
    at(30, new Event.NodeTurned("n1", NodeState.NOTICED, ""));
    at(40, new Event.NodeTurned("n1", NodeState.LOST, ""));
    Timeline told = new Timeline();

    Retelling.tell(events, 100.0, told);

    Timeline.Life life = told.lives().get(0);
    assertThat(life.phases())
        .containsExactly(
            new Timeline.Phase(Activity.BOOTING, 0, 10),
            new Timeline.Phase(Activity.WAITING, 10, 12),
            new Timeline.Phase(Activity.USEFUL, 12, 40));
    assertThat(life.notices()).containsExactly(30.0);
    assertThat(life.revoked()).isTrue();
    assertThat(told.checkpoints()).containsExactly(21.0);
    assertThat(told.progress().get(told.progress().size() - 1))
        .isEqualTo(new Timeline.Progress(21, 5, 5));
    assertThat(told.spent().get(told.spent().size() - 1)).isEqualTo(new Timeline.Spent(40, 0.04));
  }

  @Test
  void aSaveThatIsArchivedCountsOnceWhetherOrNotItWasDurableBefore() {
    at(0, new Event.Started("run", 1, 1, 0, 0));
    at(0, new Event.Rented("n1", Role.WORKER, 0, "here", Market.SPOT, 3_600_000));
    at(1, new Event.Saved("n1", 5, "REPLICATED", ""));
    at(2, new Event.Saved("n1", 5, "ARCHIVED", ""));
    at(3, new Event.Saved("n1", 9, "DURABLE", ""));
    at(4, new Event.Saved("n1", 9, "ARCHIVED", ""));
    Timeline told = new Timeline();

    Retelling.tell(events, 100.0, told);

    assertThat(told.checkpoints()).containsExactly(2.0, 3.0);
  }
}
