package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;

/**
 * Uniform Progress over several zones that tries the cheapest first, those of the region that was
 * just lost last: UP(S) of SkyNomad.
 */
final class UniformProgressByPrice implements GangPolicy {

  private final Quirks quirks;
  private final EvenPace pace = new EvenPace();
  private ZoneOrder order = new ZoneOrder(0);
  private int lastZone;

  UniformProgressByPrice(Quirks quirks) {
    this.quirks = quirks;
  }

  @Override
  public void start(Gang gang) {
    order = new ZoneOrder(gang.zones());
    lastZone = Gang.NOWHERE;
  }

  @Override
  public void step(Gang gang) {
    pace.read(gang);
    Mode current = gang.mode();
    if (current != Mode.NONE) {
      lastZone = gang.zone();
    }
    Mode wanted = pace.want(current, true);
    boolean leaves = pace.leavesOnDemand();
    if (current != Mode.NONE && wanted == current) {
      return;
    }
    int fallback = fallback(gang, quirks);
    if (quirks.dropsBeforeTrying() && current != Mode.NONE) {
      gang.terminate();
    }
    if (wanted == Mode.ON_DEMAND) {
      gang.launchOnDemand(fallback);
    } else if (!launchSpot(gang)
        && gang.mode() == Mode.NONE
        && !leaves
        && pace.want(Mode.NONE, false) == Mode.ON_DEMAND) {
      gang.launchOnDemand(fallback);
    }
  }

  private boolean launchSpot(Gang gang) {
    for (int z = 0; z < gang.zones(); z++) {
      order.key(z, gang.spotPrice(z));
    }
    order.sort();
    int lost = lastZone == Gang.NOWHERE ? Gang.NOWHERE : gang.region(lastZone);
    return launchSpot(gang, lost, false) || launchSpot(gang, lost, true);
  }

  private boolean launchSpot(Gang gang, int lostRegion, boolean there) {
    for (int i = 0; i < order.size(); i++) {
      int zone = order.get(i);
      if ((gang.region(zone) == lostRegion) == there && gang.launchSpot(zone)) {
        return true;
      }
    }
    return false;
  }

  /** Where to go on demand: where it runs or ran last; before the first run, where it is cheap. */
  static int fallback(Gang gang, Quirks quirks) {
    if (gang.zone() != Gang.NOWHERE) {
      return gang.zone();
    }
    if (gang.leader() != Gang.NOWHERE) {
      return gang.leader();
    }
    return quirks.fallsBackToFirstZone() ? 0 : DeadlineGuard.cheapestOnDemand(gang);
  }
}
