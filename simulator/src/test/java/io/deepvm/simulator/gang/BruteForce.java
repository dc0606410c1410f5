package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;

/** The least cost by trying everything that can be done, with no cleverness at all. */
final class BruteForce {

  private final GangMarket market;
  private final GangJob job;
  private final int ticks;
  private double least = Double.POSITIVE_INFINITY;

  BruteForce(GangMarket market, GangJob job) {
    this.market = market;
    this.job = job;
    this.ticks = job.ticks(market.tickSeconds());
  }

  double leastDollars() {
    tryAll(0, Mode.NONE, -1, -1, 0, 0, 0);
    return least;
  }

  private void tryAll(
      int t, Mode mode, int zone, int leader, double overhead, double done, double dollars) {
    if (job.workSeconds() - done <= GangJob.NOTHING_SECONDS) {
      least = Math.min(least, dollars);
      return;
    }
    if (t == ticks || dollars >= least) {
      return;
    }
    tryAll(t + 1, Mode.NONE, -1, leader, 0, done, dollars);
    for (int z = 0; z < market.zones(); z++) {
      run(t, mode, zone, leader, overhead, done, dollars, Mode.ON_DEMAND, z);
      if (market.up(z, t)) {
        run(t, mode, zone, leader, overhead, done, dollars, Mode.SPOT, z);
      }
    }
  }

  private void run(
      int t,
      Mode mode,
      int zone,
      int leader,
      double overhead,
      double done,
      double dollars,
      Mode next,
      int to) {
    double tick = market.tickSeconds();
    boolean launch = mode != next || zone != to;
    double before = launch ? job.restartSeconds() : overhead;
    double perHour = next == Mode.SPOT ? market.spot(to, t) : market.onDemand(to);
    double egress =
        launch && leader >= 0 && leader != to ? market.egress(leader, to, job.checkpointGb()) : 0;
    tryAll(
        t + 1,
        next,
        to,
        to,
        Math.max(0, before - tick),
        done + Math.max(0, tick - before),
        dollars + perHour * tick / 3600 + egress);
  }
}
