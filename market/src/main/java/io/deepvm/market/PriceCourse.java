package io.deepvm.market;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The spot prices of one pool as they were recorded, in order of time, whatever tick its trace has.
 * Prices that are not known are left out.
 *
 * @param heldSeconds time for which each price held; 0 for the last change of a price history
 */
public record PriceCourse(Pool pool, double[] usdPerHour, double[] heldSeconds) {

  public PriceCourse {
    double[] prices = usdPerHour;
    double[] held = heldSeconds;
    int[] known = IntStream.range(0, prices.length).filter(i -> !Double.isNaN(prices[i])).toArray();
    usdPerHour = Arrays.stream(known).mapToDouble(i -> prices[i]).toArray();
    heldSeconds = Arrays.stream(known).mapToDouble(i -> held[i]).toArray();
  }

  /** Returns the prices of a trace; each price holds for a tick. */
  public static PriceCourse of(Trace trace) {
    return sampled(trace.pool(), trace.spotUsdPerHour(), trace.tickSeconds());
  }

  /** Returns prices that were looked at regularly. */
  public static PriceCourse sampled(Pool pool, double[] usdPerHour, double stepSeconds) {
    double[] held = new double[usdPerHour.length];
    Arrays.fill(held, stepSeconds);
    return new PriceCourse(pool, usdPerHour, held);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PriceCourse that
        && pool.equals(that.pool)
        && Arrays.equals(usdPerHour, that.usdPerHour)
        && Arrays.equals(heldSeconds, that.heldSeconds);
  }

  @Override
  public int hashCode() {
    return 31 * pool.hashCode() + Arrays.hashCode(usdPerHour);
  }
}
