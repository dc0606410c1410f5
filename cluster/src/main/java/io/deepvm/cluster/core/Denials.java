package io.deepvm.cluster.core;

import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.log.RunPhase;
import java.util.stream.IntStream;

/** Ends a run that lacks nodes which no pool will ever give. */
final class Denials implements Rule {

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (state.epoch() == 0 || !state.rents()) {
      return;
    }
    RunSpec spec = state.facts().spec();
    long servers = state.living().stream().filter(life -> !life.isWorker()).count();
    if (areAllDenied(state) && state.living().isEmpty()) {
      turn.conclude(RunPhase.FAILED, "No pool gives nodes: each has refused for good.");
    } else if (servers < spec.servers() && isDenied(state, spec.serverPool())) {
      turn.conclude(RunPhase.FAILED, "The pool of the servers gives no nodes any more.");
    }
  }

  /** Whether every pool has refused for good. */
  static boolean areAllDenied(RunState state) {
    return IntStream.range(0, state.facts().pools().size()).allMatch(pool -> isDenied(state, pool));
  }

  private static boolean isDenied(RunState state, int pool) {
    return state.withheldUntil(pool) == Long.MAX_VALUE;
  }

  @Override
  public long wakeMs(RunState state) {
    return Long.MAX_VALUE;
  }
}
