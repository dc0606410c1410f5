package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;

/**
 * Uniform Progress over several zones that goes where the last few tries succeeded, and tries one
 * zone every two hours: UP(A) of SkyNomad.
 */
final class UniformProgressByAvailability implements GangPolicy {

  private static final int MEMORY = 5;
  private static final double EVERY_SECONDS = 7200;
  private static final double UNKNOWN = 0.5;
  private static final double EQUAL = 1e-6;

  private final Quirks quirks;
  private final EvenPace pace = new EvenPace();
  private ZoneOrder order = new ZoneOrder(0);
  private boolean[][] outcomes = {};
  private int[] samples = {};
  private int[] nextProbe = {};
  private int[] nextSample = {};
  private int own;
  private int every;

  UniformProgressByAvailability(Quirks quirks) {
    this.quirks = quirks;
  }

  @Override
  public void start(Gang gang) {
    int zones = gang.zones();
    order = new ZoneOrder(zones);
    outcomes = new boolean[zones][MEMORY];
    samples = new int[zones];
    nextProbe = new int[zones];
    nextSample = new int[zones];
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
    if (own != Gang.NOWHERE && gang.tick() >= nextSample[own]) {
      record(own, true);
      nextSample[own] = gang.tick() + every;
    }
    Mode current = gang.mode();
    Mode wanted = pace.want(current, true);
    boolean leaves = pace.leavesOnDemand();
    if (wanted == Mode.ON_DEMAND) {
      if (current != Mode.ON_DEMAND) {
        gang.launchOnDemand(UniformProgressByPrice.fallback(gang, quirks));
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
      if (!launchSpot(gang)) {
        if (gang.mode() == Mode.NONE && !leaves && pace.want(Mode.NONE, false) == Mode.ON_DEMAND) {
          gang.launchOnDemand(UniformProgressByPrice.fallback(gang, quirks));
        }
        return;
      }
    }
    probe(gang);
  }

  private void rank(Gang gang) {
    for (int z = 0; z < gang.zones(); z++) {
      order.key(z, -ratio(z));
    }
    order.sort();
  }

  private boolean worthKeeping(int zone) {
    int best = order.get(0);
    return zone == best || -order.key(zone) >= -order.key(best) - EQUAL;
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
        nextSample[zone] = gang.tick() + every;
        return true;
      }
    }
    return false;
  }

  /** Tries the zone that was tried least, of those whose time has come. */
  private void probe(Gang gang) {
    int least = Gang.NOWHERE;
    for (int z = 0; z < gang.zones(); z++) {
      if (z != own
          && gang.tick() >= nextProbe[z]
          && (least == Gang.NOWHERE || samples[z] < samples[least])) {
        least = z;
      }
    }
    if (least != Gang.NOWHERE) {
      record(least, gang.probe(least));
      nextProbe[least] = gang.tick() + every;
    }
  }

  private void record(int zone, boolean up) {
    boolean[] of = outcomes[zone];
    if (samples[zone] == MEMORY) {
      System.arraycopy(of, 1, of, 0, MEMORY - 1);
    } else {
      samples[zone]++;
    }
    of[samples[zone] - 1] = up;
  }

  private double ratio(int zone) {
    if (samples[zone] == 0) {
      return UNKNOWN;
    }
    int ups = 0;
    for (int i = 0; i < samples[zone]; i++) {
      ups += outcomes[zone][i] ? 1 : 0;
    }
    return (double) ups / samples[zone];
  }
}
