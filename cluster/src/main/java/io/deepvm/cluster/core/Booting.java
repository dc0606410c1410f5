package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import java.util.List;

/** A node whose agent does not report in time is replaced; several in a row fail the run. */
final class Booting implements Rule {

  /** This many nodes that die unheard, one after the other, are no accident. */
  private static final int MOST_UNHEARD = 5;

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (state.isOver()) {
      return;
    }
    String late =
        "its agent did not report within %s s"
            .formatted(turn.facts().spec().patience().bootSeconds());
    for (NodeLife life : state.living()) {
      if (!state.heard(life) && turn.nowMs() >= untilMs(state, life)) {
        turn.turn(life, NodeState.FAILED, late);
        turn.askPolicy();
      }
    }
    if (turn.state().unheard() >= MOST_UNHEARD) {
      turn.conclude(
          RunPhase.FAILED,
          "%d nodes in a row ended before their agent reported, the last one because %s."
              .formatted(MOST_UNHEARD, lastReason(turn)));
    }
  }

  /** Returns why the node died that was one too many: it did so in this turn. */
  private static String lastReason(Turn turn) {
    List<Event.NodeTurned> died =
        turn.events().stream()
            .map(Logged::event)
            .filter(Event.NodeTurned.class::isInstance)
            .map(Event.NodeTurned.class::cast)
            .filter(e -> e.to() == NodeState.FAILED || e.to() == NodeState.LOST)
            .toList();
    return died.isEmpty() ? "its machine was gone" : died.get(died.size() - 1).reason();
  }

  private static long untilMs(RunState state, NodeLife life) {
    long from = Math.max(life.since().rentedMs(), state.openedMs());
    return from + Kinds.ms(state.facts().spec().patience().bootSeconds());
  }

  @Override
  public long wakeMs(RunState state) {
    return state.isOver()
        ? Long.MAX_VALUE
        : state.living().stream()
            .filter(life -> !state.heard(life))
            .mapToLong(life -> untilMs(state, life))
            .min()
            .orElse(Long.MAX_VALUE);
  }
}
