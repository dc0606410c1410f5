package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.RunPhase;
import java.util.ArrayList;
import java.util.List;

/** Members that do not join their generation in time are started again, then lost. */
final class Forming implements Rule {

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (!state.is(RunPhase.FORMING) || !Returning.allBack(state)) {
      return;
    }
    for (NodeLife life : late(state, turn.nowMs())) {
      if (Kinds.isCommand(state)) {
        turn.lose(
            life,
            life.part() instanceof Part.Cleared
                ? "it did not start its process in time"
                : "it did not end its process in time");
      } else {
        unformed(turn, life);
      }
    }
  }

  private static List<NodeLife> late(RunState state, long nowMs) {
    List<NodeLife> late = new ArrayList<>();
    for (NodeLife life : state.members()) {
      if (life.lives() && untilMs(state, life) <= nowMs) {
        late.add(life);
      }
    }
    return late;
  }

  private static long untilMs(RunState state, NodeLife life) {
    if (life.part() instanceof Part.Asked asked) {
      return asked.untilMs();
    }
    // A node that has cleared waits for the others, whose own timeouts run.
    boolean go = life.part() instanceof Part.Cleared && AgentOrdersOf.masterPort(state) > 0;
    return go && life.part() instanceof Part.Cleared cleared
        ? Math.max(cleared.untilMs(), lastClearedMs(state))
        : Long.MAX_VALUE;
  }

  private static long lastClearedMs(RunState state) {
    return state.members().stream()
        .map(NodeLife::part)
        .mapToLong(part -> part instanceof Part.Cleared cleared ? cleared.untilMs() : 0)
        .max()
        .orElse(0);
  }

  /** The process gets a second chance, then the node counts as lost. */
  private static void unformed(Turn turn, NodeLife life) {
    String why = "did not form within %s s".formatted(Kinds.timeouts(turn.state()).formSeconds());
    if (life.doubt().unformed() > 0) {
      turn.lose(life, "its process %s, again".formatted(why));
    } else {
      int number = life.agent() == null ? 0 : life.agent().number();
      turn.write(new Event.Killed(life.name(), number, "The training process %s.".formatted(why)));
    }
  }

  @Override
  public long wakeMs(RunState state) {
    return !state.is(RunPhase.FORMING) || !Returning.allBack(state)
        ? Long.MAX_VALUE
        : state.members().stream()
            .filter(NodeLife::lives)
            .mapToLong(life -> untilMs(state, life))
            .min()
            .orElse(Long.MAX_VALUE);
  }
}
