package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.RunPhase;
import java.util.List;

/** Work that does not move for too long is started again. */
final class Silence implements Rule {

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    double bound = Kinds.timeouts(state).silenceSeconds();
    if (bound <= 0 || !state.is(RunPhase.TRAINING) || state.steps().finishing()) {
      return;
    }
    List<NodeLife> members = state.members();
    if (Kinds.isCommand(state)) {
      commands(turn, members, bound);
    } else if (turn.nowMs() >= wakeMs(state)) {
      // Members that wait for one another report it; one that waits for nobody is not missed.
      NodeLife first = members.get(0);
      int number = first.agent() == null ? 0 : first.agent().number();
      turn.write(
          new Event.Killed(
              first.name(), number, "No step was made for %d s.".formatted(Math.round(bound))));
    }
  }

  /** When one command has ended, the others get the same time again to end. */
  private static void commands(Turn turn, List<NodeLife> members, double bound) {
    if (isQuiet(turn.state()) && turn.nowMs() >= boundMs(turn.state(), bound)) {
      turn.failed(
          members.get(0),
          "The process '%s' printed nothing for %d s."
              .formatted(Words.command(turn.facts().spec().work()), Math.round(bound)));
    }
  }

  /** Often only the first command prints, so the work hangs if all that run are silent. */
  private static boolean isQuiet(RunState state) {
    long generation = state.membership().number();
    List<NodeLife> members = state.members();
    return members.stream()
            .allMatch(life -> life.doubt().silentIn() == generation || life.doneIn(generation))
        && !members.stream().allMatch(life -> life.doneIn(generation))
        && state.membership().dueMs() == Long.MAX_VALUE;
  }

  private static long boundMs(RunState state, double bound) {
    return state.steps().movedMs() + Kinds.ms(bound);
  }

  @Override
  public long wakeMs(RunState state) {
    double bound = Kinds.timeouts(state).silenceSeconds();
    boolean watches =
        bound > 0
            && state.is(RunPhase.TRAINING)
            && !state.steps().finishing()
            && (!Kinds.isCommand(state) || isQuiet(state));
    return watches ? boundMs(state, bound) : Long.MAX_VALUE;
  }
}
