package io.deepvm.simulator.gang;

/** Runs on demand where that is cheapest, from the first tick to the last. */
final class OnDemandGang implements GangPolicy {

  @Override
  public void step(Gang gang) {
    if (gang.mode() != Gang.Mode.ON_DEMAND) {
      gang.launchOnDemand(DeadlineGuard.cheapestOnDemand(gang));
    }
  }
}
