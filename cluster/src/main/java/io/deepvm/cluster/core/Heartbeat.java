package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.RunPhase;

/** Writes that the coordinator lives if nothing else was written: the run is billed by that. */
final class Heartbeat implements Rule {

  private static final long ALIVE_MS = 5_000;

  @Override
  public void apply(Turn turn) {
    if (turn.nowMs() >= wakeMs(turn.state())) {
      turn.write(new Event.Alive());
    }
  }

  @Override
  public long wakeMs(RunState state) {
    boolean quiet = state.is(RunPhase.STOPPING) || state.phase().now().isEnd();
    return quiet || state.epoch() == 0 || state.is(RunPhase.INTERRUPTED)
        ? Long.MAX_VALUE
        : state.atMs() + ALIVE_MS;
  }
}
