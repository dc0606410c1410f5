package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;

/**
 * Keeps an even pace in one zone: on spot while it can, on demand while it is behind, and back to
 * spot once two restarts ahead.
 */
final class UniformProgress implements GangPolicy {

  private final int zone;
  private final EvenPace pace = new EvenPace();

  UniformProgress(int zone) {
    this.zone = zone;
  }

  @Override
  public void step(Gang gang) {
    pace.read(gang);
    Mode current = gang.mode();
    if (pace.lastChance()) {
      takeLastChance(gang, pace, zone);
    } else if (pace.twoRestartsFillTheTime() && current != Mode.SPOT) {
      gang.launchOnDemand(zone);
    } else if (current != Mode.ON_DEMAND || pace.aheadByTwoRestarts()) {
      if (!gang.launchSpot(zone) && current == Mode.NONE && pace.behind()) {
        gang.launchOnDemand(zone);
      }
    }
  }

  /** Keeps spot that works; else runs on demand, or on spot where a restart costs no time. */
  static void takeLastChance(Gang gang, EvenPace pace, int zone) {
    boolean works = gang.mode() == Mode.SPOT && pace.settled();
    if (!works && !(pace.instant() && gang.launchSpot(zone))) {
      gang.launchOnDemand(zone);
    }
  }
}
