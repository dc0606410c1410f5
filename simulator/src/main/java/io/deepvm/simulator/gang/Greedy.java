package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;

/** Runs on spot in one zone whenever it can, and on demand once the deadline is near. */
final class Greedy implements GangPolicy {

  private final int zone;
  private final EvenPace pace = new EvenPace();

  Greedy(int zone) {
    this.zone = zone;
  }

  @Override
  public void step(Gang gang) {
    pace.read(gang);
    if (pace.lastChance()) {
      UniformProgress.takeLastChance(gang, pace, zone);
    } else if (pace.twoRestartsFillTheTime() && gang.mode() != Mode.SPOT) {
      gang.launchOnDemand(zone);
    } else if (!gang.launchSpot(zone) && gang.mode() != Mode.NONE) {
      gang.terminate();
    }
  }
}
