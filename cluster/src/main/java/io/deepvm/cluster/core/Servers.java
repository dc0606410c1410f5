package io.deepvm.cluster.core;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.member.Role;

/** Orders the nodes that keep parameters; policies order workers only. */
final class Servers implements Rule {

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    RunSpec spec = turn.facts().spec();
    boolean full = state.living().size() >= turn.facts().limit();
    boolean withheld = state.withheldUntil(spec.serverPool()) > turn.nowMs();
    if (state.epoch() == 0 || !state.rents() || full || withheld) {
      return;
    }
    long there = state.living().stream().filter(life -> !life.isWorker()).count();
    for (long i = there; i < spec.servers(); i++) {
      Orders.rent(
          turn,
          Role.SERVER,
          spec.serverPool(),
          Market.ON_DEMAND,
          turn.facts().serverMicrosPerHour());
    }
  }

  @Override
  public long wakeMs(RunState state) {
    long there = state.living().stream().filter(life -> !life.isWorker()).count();
    boolean missing = state.rents() && there < state.facts().spec().servers();
    return missing ? state.withheldUntil(state.facts().spec().serverPool()) : Long.MAX_VALUE;
  }
}
