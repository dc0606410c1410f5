package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.RunPhase;

/** The run trains when every member does. */
final class Training implements Rule {

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    long generation = state.membership().number();
    if (state.is(RunPhase.FORMING)
        && state.members().stream()
            .allMatch(life -> life.trainsIn(generation) || life.doneIn(generation))) {
      turn.write(new Event.RunTurned(RunPhase.TRAINING, ""));
      turn.askPolicy();
    }
  }

  @Override
  public long wakeMs(RunState state) {
    return Long.MAX_VALUE;
  }
}
