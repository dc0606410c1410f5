package io.deepvm.market.survival;

import io.deepvm.market.Seeds;
import io.deepvm.market.Trace;
import io.deepvm.units.BadInput;
import java.util.Arrays;
import java.util.Random;

/**
 * A pool whose node slots are up and down by turns, each stay drawn anew. Some of the slots share
 * one fate, so that they come and go together; the others are on their own.
 *
 * @param like the trace it is of, for pool, tick, nodes asked for and prices
 * @param upShare the chance that a slot is up in the first tick
 * @param together how many slots share one fate
 */
public record CapacityModel(
    Trace like, LifetimeModel up, LifetimeModel down, double upShare, int together) {

  private static final int MOST_TICKS = 10_000_000;

  /**
   * Fits the stays of a trace, and as many slots together as make the count vary like the trace's.
   * The slots of a pool are told apart by count only, so for more than one the model is an
   * approximation.
   */
  public static CapacityModel of(Trace trace) {
    double[] known =
        Arrays.stream(trace.available())
            .filter(count -> count != Trace.UNKNOWN)
            .asDoubleStream()
            .toArray();
    double mean = Arrays.stream(known).average().orElse(0);
    double variance =
        Arrays.stream(known).map(count -> (count - mean) * (count - mean)).average().orElse(0);
    double upShare = mean / trace.asked();
    return new CapacityModel(
        trace,
        ModelFit.all(Lifetimes.up(trace)).get(0).model(),
        ModelFit.all(Lifetimes.down(trace)).get(0).model(),
        upShare,
        together(trace.asked(), variance / (upShare * (1 - upShare))));
  }

  // A slot alone has the variance p(1-p), m of them together m times m as much.
  private static int together(int asked, double wanted) {
    int best = 0;
    for (int m = 0; m <= asked; m++) {
      if (Math.abs((double) m * m + asked - m - wanted)
          < Math.abs((double) best * best + asked - best - wanted)) {
        best = m;
      }
    }
    return best;
  }

  /** Draws what the pool could have had over so many ticks, the same for the same seed. */
  public Trace draw(long seed, int ticks) {
    if (ticks < 1 || ticks > MOST_TICKS) {
      throw new BadInput(
          "A trace of %,d ticks cannot be drawn.".formatted(ticks),
          "Maybe ask for 1 to %,d.".formatted(MOST_TICKS));
    }
    Random random = Seeds.random(seed);
    int[] counts = new int[ticks];
    if (together > 0) {
      addSlots(counts, together, random);
    }
    for (int slot = together; slot < like.asked(); slot++) {
      addSlots(counts, 1, random);
    }
    double[] prices = new double[ticks];
    Arrays.fill(
        prices,
        Arrays.stream(like.spotUsdPerHour())
            .filter(price -> !Double.isNaN(price))
            .average()
            .orElse(Double.NaN));
    return new Trace(
        like.pool(),
        like.start(),
        like.tick(),
        counts,
        like.asked(),
        prices,
        like.onDemandUsdPerHour());
  }

  private void addSlots(int[] counts, int slots, Random random) {
    boolean isUp = random.nextDouble() < upShare;
    int t = 0;
    while (t < counts.length) {
      double hours = (isUp ? up : down).drawHours(random);
      long stay = Math.max(1, Math.round(hours * 3600 / like.tickSeconds()));
      int end = (int) Math.min(counts.length, t + stay);
      for (; t < end; t++) {
        counts[t] += isUp ? slots : 0;
      }
      isUp = !isUp;
    }
  }
}
