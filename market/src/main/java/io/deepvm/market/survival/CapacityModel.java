package io.deepvm.market.survival;

import io.deepvm.base.BadInput;
import io.deepvm.market.Dependence;
import io.deepvm.market.Seeds;
import io.deepvm.market.Trace;
import java.util.Arrays;
import java.util.Random;

/**
 * A pool whose nodes are up and down by turns, each stay drawn anew.
 *
 * @param like the trace it is of, for pool, tick and prices; as many nodes are drawn as it asked
 *     for
 * @param upShare the chance that a node is up in the first tick
 * @param dependence how far the nodes come and go together
 */
public record CapacityModel(
    Trace like, LifetimeModel up, LifetimeModel down, double upShare, Dependence dependence) {

  private static final int MOST_TICKS = 10_000_000;

  /**
   * Fits the stays of a trace, and a dependence that makes the count vary like the trace's. The
   * nodes of a pool are distinguished by count only, so for more than one the model is an
   * approximation. A trace of one node says nothing of dependence: the measured one is taken.
   */
  public static CapacityModel of(Trace trace) {
    double upShare = mean(trace) / trace.asked();
    return new CapacityModel(
        trace,
        ModelFit.all(Lifetimes.up(trace)).get(0).model(),
        ModelFit.all(Lifetimes.down(trace)).get(0).model(),
        upShare,
        trace.asked() == 1 ? Dependence.MEASURED : dependence(trace, upShare));
  }

  // The count of n independent nodes has the variance n p (1 - p), that of n together n times more.
  private static Dependence dependence(Trace trace, double upShare) {
    int nodes = trace.asked();
    double mean = mean(trace);
    double variance =
        Arrays.stream(trace.available())
            .filter(count -> count != Trace.UNKNOWN)
            .mapToDouble(count -> (count - mean) * (count - mean))
            .average()
            .orElse(0);
    double times = variance / (nodes * upShare * (1 - upShare));
    return new Dependence(Math.max(0, Math.min(1, (times - 1) / (nodes - 1))));
  }

  private static double mean(Trace trace) {
    return Arrays.stream(trace.available())
        .filter(count -> count != Trace.UNKNOWN)
        .average()
        .orElse(0);
  }

  /** Returns the same lives for the pool, prices and number of nodes of another trace. */
  public CapacityModel of(Trace other, Dependence assumed) {
    return new CapacityModel(other, up, down, upShare, assumed);
  }

  /** Draws the available nodes of a number of ticks, the same for the same seed. */
  public Trace draw(long seed, int ticks) {
    if (ticks < 1 || ticks > MOST_TICKS) {
      throw new BadInput(
          "A trace of %,d ticks cannot be drawn.".formatted(ticks),
          "Maybe ask for 1 to %,d.".formatted(MOST_TICKS));
    }
    Random random = Seeds.random(seed);
    int[] counts =
        dependence.counts(
            course(ticks, random),
            () -> course(ticks, random),
            like.asked(),
            like.tickSeconds(),
            random);
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

  private boolean[] course(int ticks, Random random) {
    boolean[] course = new boolean[ticks];
    boolean isUp = random.nextDouble() < upShare;
    int t = 0;
    while (t < ticks) {
      double hours = (isUp ? up : down).drawHours(random);
      long stay = Math.max(1, Math.round(hours * 3600 / like.tickSeconds()));
      int end = t + (int) Math.min(ticks - t, stay);
      Arrays.fill(course, t, end, isUp);
      t = end;
      isUp = !isUp;
    }
    return course;
  }
}
