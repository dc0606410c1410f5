package io.deepvm.market.stats;

import io.deepvm.market.PriceCourse;
import io.deepvm.market.Trace;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * What one pool's trace says; shares are of the ticks in which somebody looked.
 *
 * @param upShare at least one node could be had
 * @param fullShare all nodes that were asked for
 * @param partialShare some of them, not all
 * @param up how long there was at least one node
 * @param down how long there was none
 * @param lossesPerNodeHour nodes lost in an hour for every node there was
 * @param price null where no price was recorded
 */
public record PoolStats(
    Trace trace,
    double upShare,
    double fullShare,
    double partialShare,
    Runs up,
    Runs down,
    double lossesPerNodeHour,
    @Nullable PriceStats price) {

  /** Describes a trace by its ticks. */
  public static PoolStats of(Trace trace) {
    return of(trace, PriceCourse.of(trace));
  }

  static PoolStats of(Trace trace, PriceCourse prices) {
    int known = 0;
    int up = 0;
    int full = 0;
    long lost = 0;
    double nodeTicks = 0;
    int[] counts = trace.available();
    for (int t = 0; t < counts.length; t++) {
      if (counts[t] == Trace.UNKNOWN) {
        continue;
      }
      known++;
      up += counts[t] > 0 ? 1 : 0;
      full += counts[t] == trace.asked() ? 1 : 0;
      // A node that is not observed in the next tick cannot be seen lost.
      if (t + 1 < counts.length && counts[t + 1] != Trace.UNKNOWN) {
        nodeTicks += counts[t];
        lost += Math.max(0, counts[t] - counts[t + 1]);
      }
    }
    double all = known == 0 ? Double.NaN : known;
    double hours = trace.tickSeconds() / 3600;
    return new PoolStats(
        trace,
        up / all,
        full / all,
        (up - full) / all,
        Runs.of(runs(counts, true, hours)),
        Runs.of(runs(counts, false, hours)),
        nodeTicks == 0 ? Double.NaN : lost / (nodeTicks * hours),
        PriceStats.of(prices));
  }

  private static double[] runs(int[] counts, boolean up, double hoursPerTick) {
    DoubleStream.Builder runs = DoubleStream.builder();
    int length = 0;
    for (int count : counts) {
      if (count != Trace.UNKNOWN && count > 0 == up) {
        length++;
      } else if (length > 0) {
        runs.add(length * hoursPerTick);
        length = 0;
      }
    }
    if (length > 0) {
      runs.add(length * hoursPerTick);
    }
    return runs.build().toArray();
  }
}
