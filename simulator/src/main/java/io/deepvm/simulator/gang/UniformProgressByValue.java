package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;

/**
 * Uniform Progress over several zones that goes where tries succeed most per dollar, and tries
 * every zone each hour: UP(AP) of SkyNomad.
 */
final class UniformProgressByValue implements GangPolicy {

  private static final double EVERY_SECONDS = 3600;
  private static final double UNKNOWN = 0.5;

  /** A zone this near to the best is not worth leaving. */
  private static final double GOOD_ENOUGH = 0.9;

  private final Quirks quirks;
  private final EvenPace pace = new EvenPace();
  private ZoneOrder order = new ZoneOrder(0);
  private int[] tries = {};
  private int[] ups = {};
  private int[] next = {};
  private int own;
  private int every;

  UniformProgressByValue(Quirks quirks) {
    this.quirks = quirks;
  }

  @Override
  public void start(Gang gang) {
    int zones = gang.zones();
    order = new ZoneOrder(zones);
    tries = new int[zones];
    ups = new int[zones];
    next = new int[zones];
    own = Gang.NOWHERE;
    every = (int) Math.max(1, Math.rint(EVERY_SECONDS / gang.tickSeconds()));
  }

  @Override
  public void step(Gang gang) {
    pace.read(gang);
    if (own != Gang.NOWHERE && (gang.mode() != Mode.SPOT || gang.zone() != own)) {
      record(own, false);
      own = Gang.NOWHERE;
    }
    if (own != Gang.NOWHERE && gang.tick() >= next[own]) {
      record(own, true);
      next[own] = gang.tick() + every;
    }
    Mode current = gang.mode();
    Mode wanted = pace.want(current, true);
    if (wanted == Mode.ON_DEMAND) {
      if (current != Mode.ON_DEMAND) {
        gang.launchOnDemand(current == Mode.NONE ? fallback(gang) : gang.zone());
        own = Gang.NOWHERE;
      }
      return;
    }
    rank(gang);
    if (!(current == Mode.SPOT && worthKeeping(gang.zone()))) {
      if (quirks.dropsBeforeTrying() && current != Mode.NONE) {
        gang.terminate();
        own = Gang.NOWHERE;
      }
      if (!launchSpot(gang)
          && gang.mode() == Mode.NONE
          && pace.want(Mode.NONE, false) == Mode.ON_DEMAND) {
        gang.launchOnDemand(fallback(gang));
      }
    }
    for (int z = 0; z < gang.zones(); z++) {
      if (z != own && gang.tick() >= next[z]) {
        record(z, gang.probe(z));
        next[z] = gang.tick() + every;
      }
    }
  }

  private void rank(Gang gang) {
    for (int z = 0; z < gang.zones(); z++) {
      double ratio = tries[z] == 0 ? UNKNOWN : (double) ups[z] / tries[z];
      order.key(z, -(ratio / gang.spotPrice(z)));
    }
    order.sort();
  }

  private boolean worthKeeping(int zone) {
    int best = order.get(0);
    return zone == best || -order.key(zone) >= GOOD_ENOUGH * -order.key(best);
  }

  private boolean launchSpot(Gang gang) {
    for (int i = 0; i < order.size(); i++) {
      int zone = order.get(i);
      if (gang.mode() == Mode.SPOT && gang.zone() == zone) {
        return true;
      }
      boolean launched = gang.launchSpot(zone);
      record(zone, launched);
      if (launched) {
        own = zone;
        next[zone] = gang.tick() + every;
        return true;
      }
    }
    return false;
  }

  private int fallback(Gang gang) {
    return quirks.fallsBackToFirstZone() ? 0 : DeadlineGuard.cheapestOnDemand(gang);
  }

  private void record(int zone, boolean up) {
    tries[zone]++;
    ups[zone] += up ? 1 : 0;
  }
}
