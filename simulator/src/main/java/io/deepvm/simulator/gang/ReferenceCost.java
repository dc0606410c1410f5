package io.deepvm.simulator.gang;

/**
 * Values progress at what the rest of the work would cost by an even plan over the zones, as they
 * have shown themselves so far, with a fifth on top.
 */
public final class ReferenceCost implements Valuation {

  private static final double HOUR = 3600;
  private static final double LEAST = 1e-6;
  private static final double ABOVE_REFERENCE = 1.2;
  private static final double MOVE_DOLLARS_PER_GB = 0.02;
  private static final double RATE_WINDOW_SECONDS = 36_000;
  private static final double RATE_FROM_SECONDS = 600;

  private double[] prices = {};
  private double[] adjusted = {};
  private double[] capacity = {};
  private int[] order = {};

  @Override
  public double dollarsPerHour(Gang gang, Outlook outlook) {
    int zones = gang.zones();
    if (prices.length != zones) {
      prices = new double[zones];
      adjusted = new double[zones];
      capacity = new double[zones];
      order = new int[zones];
    }
    double least = Double.POSITIVE_INFINITY;
    for (int z = 0; z < zones; z++) {
      // All prices before the first look at a lifetime, which may itself be news about a price.
      prices[z] = gang.spotPrice(z);
      least = Math.min(least, gang.onDemandPrice(z));
    }
    return ABOVE_REFERENCE * reference(gang, usable(gang, outlook), least);
  }

  /** Sorts the zones that can be expected to do work by what that costs; returns their number. */
  private int usable(Gang gang, Outlook outlook) {
    double restart = gang.job().restartSeconds() / HOUR;
    double time = gang.job().deadlineSeconds() - gang.now();
    int usable = 0;
    for (int z = 0; z < gang.zones(); z++) {
      double life = outlook.lifeHours(gang, z);
      double working = life > restart ? (life - restart) / life : 0;
      double seconds = outlook.availability(z) * time * working;
      if (seconds <= 0) {
        continue;
      }
      capacity[z] = seconds;
      adjusted[z] = prices[z] * life / Math.max(life - restart, LEAST);
      int at = usable++;
      while (at > 0 && adjusted[order[at - 1]] > adjusted[z]) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = z;
    }
    return usable;
  }

  private double reference(Gang gang, int usable, double onDemandPrice) {
    double left = gang.left();
    double onDemand = onDemandShare(gang) * left;
    double rest = left - onDemand;
    double dollars = 0;
    int used = 0;
    for (int i = 0; i < usable && rest > 0; i++) {
      double seconds = Math.min(capacity[order[i]], rest);
      dollars += seconds * adjusted[order[i]] / HOUR;
      rest -= seconds;
      used++;
    }
    onDemand += Math.max(rest, 0);
    dollars += onDemand * onDemandPrice / HOUR;
    if (onDemand > 0) {
      used++;
    }
    double hours = Math.max(left / HOUR, LEAST);
    double reference = dollars / hours;
    double gb = gang.job().checkpointGb();
    if (gb > 0 && used > 1) {
      reference += (used - 1) * gb * MOVE_DOLLARS_PER_GB / hours;
    }
    return reference;
  }

  /** The share of the work that will have to be done on demand if the recent rate goes on. */
  private static double onDemandShare(Gang gang) {
    double now = gang.now();
    double done = gang.done();
    if (now == 0) {
      return 0;
    }
    if (Math.abs(done - now) < LEAST) {
      return 0.5;
    }
    double rate = recentRate(gang);
    if (Math.abs(rate - 1) < LEAST) {
      return 0;
    }
    GangJob job = gang.job();
    double deadline = job.deadlineSeconds();
    double switchAt =
        (rate * now - done + (job.workSeconds() + 2 * job.restartSeconds() - deadline))
            / (rate - 1);
    if (switchAt >= deadline) {
      return 0;
    }
    if (switchAt <= 0) {
      return 1;
    }
    return clamp((deadline - switchAt) / (deadline - now));
  }

  /** Work per time over the last ten hours. */
  private static double recentRate(Gang gang) {
    double now = gang.now();
    if (now < RATE_FROM_SECONDS) {
      return gang.done() / now;
    }
    double from = Math.max(0, now - RATE_WINDOW_SECONDS);
    int ticks = (int) (from / gang.tickSeconds());
    // One tick late, as published: the count of ticks before the window is taken for an index.
    double before = ticks == 0 ? 0 : gang.doneAt(ticks - 1);
    return clamp((gang.done() - before) / (now - from));
  }

  private static double clamp(double share) {
    return Math.max(0, Math.min(1, share));
  }
}
