package io.deepvm.simulator.gang;

import java.util.Arrays;

/**
 * What SkyNomad has seen of one zone: when it was up, how such times ended, and what that shows
 * about the next end.
 *
 * <p>The hazard is that of Nelson and Aalen over the recorded runs; bursts of ends beyond it raise
 * it for a while.
 */
final class ZoneRecord {

  private static final double HOUR = 3600;
  private static final double LEAST_TAIL = 1e-8;
  private static final double NEAR = 1e-9;
  private static final double MOST_RISK = 8;

  // Runs that ended, in the order of their ends.
  private double[] starts = new double[16];
  private double[] ends = new double[16];
  private double[] hours = new double[16];
  private boolean[] failed = new boolean[16];
  private int runs;
  private double openStart = Double.NaN;
  private boolean openIsProbe;

  // The hazard's steps: durations after which a run failed, ascending.
  private double[] knots = new double[16];
  private int[] ended = new int[16];
  private int[] atRisk = new int[16];
  private double[] steps = new double[16];
  private double[] survival = new double[16];
  private int knotCount;
  private double tail = LEAST_TAIL;
  private boolean stale;
  private int openCounted;
  private double survivalFactor = Double.NaN;

  // Risk taken and failures met, tick by tick, of which the recent make the burst factor.
  private double[] risks = new double[32];
  private int[] failures = new int[32];
  private int from;
  private int to;
  private double totalRisk;
  private double burst = 1;
  private int tickFailures;

  private double lastRealAge = Double.NaN;
  private double lastVirtualAge = Double.NaN;

  /** Forgets all. */
  void clear() {
    runs = 0;
    openStart = Double.NaN;
    knotCount = 0;
    tail = LEAST_TAIL;
    stale = false;
    openCounted = 0;
    survivalFactor = Double.NaN;
    from = 0;
    to = 0;
    totalRisk = 0;
    burst = 1;
    tickFailures = 0;
    lastRealAge = Double.NaN;
    lastVirtualAge = Double.NaN;
  }

  /** A run begins; one that is open is forgotten. */
  void start(double now, boolean probe) {
    openStart = now;
    openIsProbe = probe;
    if (probe) {
      lastVirtualAge = 0;
    }
  }

  /** The gang runs here itself from now on. */
  void startReal(double now) {
    start(now, false);
    lastRealAge = 0;
    lastVirtualAge = Double.NaN;
  }

  /** The open run ends, if there is one. */
  void end(double now, boolean fails) {
    if (fails) {
      tickFailures++;
    }
    if (!Double.isNaN(openStart)) {
      if (runs == starts.length) {
        starts = Arrays.copyOf(starts, 2 * runs);
        ends = Arrays.copyOf(ends, 2 * runs);
        hours = Arrays.copyOf(hours, 2 * runs);
        failed = Arrays.copyOf(failed, 2 * runs);
      }
      starts[runs] = openStart;
      ends[runs] = now;
      hours[runs] = (now - openStart) / HOUR;
      failed[runs] = fails;
      runs++;
      openStart = Double.NaN;
      stale = true;
    }
  }

  /** A launch or a probe found the zone down. */
  void failure() {
    tickFailures++;
  }

  void forgetVirtualAge() {
    lastVirtualAge = Double.NaN;
  }

  /** Hours since the open run began; not a number when there is none. */
  double age(double now) {
    return (now - openStart) / HOUR;
  }

  double burst() {
    return burst;
  }

  /** Returns the share of the time from one second to another in which the zone was up. */
  double availability(double since, double now) {
    double seconds = 0;
    for (int i = runs - 1; i >= 0 && ends[i] > since; i--) {
      seconds += ends[i] - Math.max(starts[i], since);
    }
    if (!Double.isNaN(openStart)) {
      seconds += now - Math.max(openStart, since);
    }
    return now <= since ? 0 : Math.max(0, Math.min(1, seconds / (now - since)));
  }

  /**
   * Takes in the tick that has passed.
   *
   * @param virtual whether an open run counts as one that has not failed yet
   */
  void observe(double now, double tickHours, boolean virtual) {
    boolean open = !Double.isNaN(openStart);
    double age = age(now);
    refresh(virtual && open && age > 0 ? age : Double.NaN);
    double previous = 0;
    if (!open) {
      lastRealAge = Double.NaN;
      if (!virtual) {
        lastVirtualAge = Double.NaN;
      }
    } else if (openIsProbe) {
      previous = Double.isNaN(lastVirtualAge) ? Math.max(age - tickHours, 0) : lastVirtualAge;
      lastVirtualAge = age;
      lastRealAge = Double.NaN;
    } else {
      previous = Double.isNaN(lastRealAge) ? Math.max(age - tickHours, 0) : lastRealAge;
      lastRealAge = age;
      if (!virtual) {
        lastVirtualAge = Double.NaN;
      }
    }
    if (open || tickFailures > 0) {
      meet(open, age, previous, tickHours);
    }
    tickFailures = 0;
  }

  private void meet(boolean open, double age, double previous, double tickHours) {
    double risk = open ? Math.max(0, hazard(age) - hazard(previous)) : 0;
    if (risk <= 0) {
      if (knotCount == 0) {
        risk = tail * tickHours;
      } else if (open && previous >= knots[knotCount - 1]) {
        risk = tail * Math.max(0, age - previous);
      }
    }
    if (tickFailures > 0 && risk <= 0) {
      risk = tail * tickHours;
    }
    if (risk > 0 || tickFailures > 0) {
      append(risk);
      burst = totalRisk < 1 ? 1 : Math.max(1, worstRecentRatio());
    }
  }

  private void append(double risk) {
    if (to == risks.length) {
      risks = Arrays.copyOf(risks, 2 * to);
      failures = Arrays.copyOf(failures, 2 * to);
    }
    risks[to] = risk;
    failures[to] = tickFailures;
    to++;
    totalRisk += risk;
    boolean dropped = false;
    double total = totalRisk;
    while (from < to && total - risks[from] >= MOST_RISK) {
      total -= risks[from++];
      dropped = true;
    }
    if (dropped) {
      totalRisk = 0;
      for (int i = from; i < to; i++) {
        totalRisk += risks[i];
      }
    }
  }

  /** The most failures per risk over the last ticks, up to a risk of one. */
  private double worstRecentRatio() {
    double risk = 0;
    int failed = 0;
    int bestLength = 0;
    double best = 0;
    for (int i = to - 1, n = 1; i >= from; i--, n++) {
      risk += risks[i];
      failed += failures[i];
      if (n == 1 && risk <= 1e-6 && failed == 0) {
        continue;
      }
      if (risk > 1 + NEAR) {
        if (n == 1) {
          return failed / risk;
        }
        break;
      }
      double ratio = risk == 0 ? (failed > 0 ? failed / 1e-6 : 0) : failed / risk;
      if (bestLength == 0
          || ratio > best + NEAR
          || (Math.abs(ratio - best) <= NEAR && n < bestLength)) {
        best = ratio;
        bestLength = n;
      }
    }
    if (bestLength > 0) {
      return best;
    }
    int newest = to - 1;
    if (risks[newest] > 0) {
      return failures[newest] / risks[newest];
    }
    return failures[newest] > 0 ? failures[newest] / 1e-6 : 0;
  }

  /**
   * Brings the hazard up to date.
   *
   * @param openAge of a run that counts as not failed yet; else not a number
   */
  private void refresh(double openAge) {
    if (stale) {
      recount();
    }
    int counted = 0;
    while (counted < knotCount && openAge + NEAR >= knots[counted]) {
      counted++;
    }
    if (stale || counted != openCounted) {
      for (int i = 0; i < knotCount; i++) {
        steps[i] = (double) ended[i] / (atRisk[i] + (i < counted ? 1 : 0));
      }
      tail = knotCount == 0 ? LEAST_TAIL : Math.max(steps[knotCount - 1], LEAST_TAIL);
      openCounted = counted;
      survivalFactor = Double.NaN;
      stale = false;
    }
  }

  private void recount() {
    knotCount = 0;
    if (knots.length < runs) {
      knots = new double[starts.length];
      ended = new int[starts.length];
      atRisk = new int[starts.length];
      steps = new double[starts.length];
      survival = new double[starts.length];
    }
    for (int i = 0; i < runs; i++) {
      if (failed[i]) {
        insertKnot(hours[i]);
      }
    }
    for (int k = 0; k < knotCount; k++) {
      ended[k] = 0;
      atRisk[k] = 0;
      for (int i = 0; i < runs; i++) {
        if (failed[i] && Math.abs(hours[i] - knots[k]) <= NEAR) {
          ended[k]++;
        }
        if (hours[i] + NEAR >= knots[k]) {
          atRisk[k]++;
        }
      }
    }
  }

  private void insertKnot(double duration) {
    int at = Arrays.binarySearch(knots, 0, knotCount, duration);
    if (at < 0) {
      at = -at - 1;
      System.arraycopy(knots, at, knots, at + 1, knotCount - at);
      knots[at] = duration;
      knotCount++;
    }
  }

  /** The hazard up to an age, as published: the part after a knot starts again at each knot. */
  private double hazard(double age) {
    if (age <= 0) {
      return 0;
    }
    double sum = 0;
    double last = 0;
    for (int i = 0; i < knotCount && knots[i] < age; i++) {
      sum += steps[i];
      last = knots[i];
    }
    return sum + (age - last) * tail;
  }

  /** Returns the hours that a run of the given age is expected to go on. */
  double expectedLife(double age, double tickHours) {
    if (survivalFactor != burst) {
      for (int i = 0; i < knotCount; i++) {
        survival[i] = Math.exp(-burst * steps[i]);
      }
      survivalFactor = burst;
    }
    double expected = 0;
    double alive = 1;
    double at = age;
    for (int i = 0; i < knotCount; i++) {
      if (knots[i] > at + 1e-12) {
        expected += alive * (knots[i] - at);
        alive *= survival[i];
        at = knots[i];
      }
    }
    double rate = burst * tail;
    double ends = 1 - Math.exp(-rate);
    return expected + alive * tickHours / (ends > NEAR ? ends : Math.max(rate, NEAR));
  }
}
