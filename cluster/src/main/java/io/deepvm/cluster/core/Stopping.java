package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;

/** Ends every node of a run that stops, and then the run. */
final class Stopping implements Rule {

  /** Time for the last output, in addition to the time that processes have to end. */
  private static final double OUTPUT_SECONDS = 2;

  /** The longest wait for a cloud to confirm that its machines have ended. */
  private static final long CONFIRM_MS = 300_000;

  /** Returns when machines are ended that have not ended in order. */
  static long deadlineMs(RunState state) {
    return state.phase().sinceMs() + Kinds.ms(Kinds.timeouts(state).stopSeconds() + OUTPUT_SECONDS);
  }

  /** Returns when the run ends even if its cloud has not confirmed the end of every machine. */
  static long lastMs(RunState state) {
    return deadlineMs(state) + CONFIRM_MS;
  }

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (!state.is(RunPhase.STOPPING)) {
      return;
    }
    boolean late = turn.nowMs() >= deadlineMs(state);
    String why =
        state.phase().outcome() == RunPhase.INTERRUPTED
            ? state.phase().reason()
            : "the run is over";
    for (NodeLife life : state.living()) {
      boolean unheard = life.agent() == null;
      if (late || unheard || life.machine() instanceof Machine.Gone) {
        turn.turn(life, NodeState.RELEASED, why);
      }
    }
    long owed = unconfirmed(turn.state());
    if (turn.state().living().isEmpty() && owed == 0) {
      turn.write(new Event.RunTurned(state.phase().outcome(), state.phase().reason()));
    } else if (turn.nowMs() >= lastMs(state)) {
      String open = "%s; the cloud has not confirmed the end of %d machines";
      turn.write(
          new Event.RunTurned(
              state.phase().outcome(), open.formatted(state.phase().reason(), owed)));
    }
  }

  private static long unconfirmed(RunState state) {
    return state.nodes().stream().filter(life -> !(life.machine() instanceof Machine.Gone)).count();
  }

  @Override
  public long wakeMs(RunState state) {
    if (!state.is(RunPhase.STOPPING)) {
      return Long.MAX_VALUE;
    }
    return state.living().isEmpty() ? lastMs(state) : deadlineMs(state);
  }
}
