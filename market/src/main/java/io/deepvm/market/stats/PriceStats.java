package io.deepvm.market.stats;

import io.deepvm.market.PriceCourse;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How a spot price moved, by the prices that were recorded.
 *
 * @param mean over the time for which each price held
 * @param volatility the standard deviation over that time as a share of the mean
 * @param changesPerDay how often it was another than the one before
 */
public record PriceStats(
    double min, double mean, double max, double volatility, double changesPerDay) {

  private static final double DAY = 86_400;

  static @Nullable PriceStats of(PriceCourse course) {
    double[] prices = course.usdPerHour();
    double[] held = course.heldSeconds().clone();
    if (prices.length == 0) {
      return null;
    }
    double seconds = Arrays.stream(held).sum();
    if (seconds == 0) {
      // One change says nothing of how long its price held.
      Arrays.fill(held, 1);
    }
    // Differences from the first price let a constant price be its own mean, without rounding.
    double mean = prices[0] + weighted(prices, held, price -> price - prices[0]);
    double variance = weighted(prices, held, price -> (price - mean) * (price - mean));
    long changes =
        IntStream.range(1, prices.length).filter(i -> prices[i] != prices[i - 1]).count();
    return new PriceStats(
        Arrays.stream(prices).min().orElseThrow(),
        mean,
        Arrays.stream(prices).max().orElseThrow(),
        mean == 0 ? 0 : Math.sqrt(variance) / mean,
        seconds == 0 ? 0 : changes * DAY / seconds);
  }

  private static double weighted(double[] prices, double[] held, DoubleUnaryOperator figure) {
    return IntStream.range(0, prices.length)
            .mapToDouble(i -> held[i] * figure.applyAsDouble(prices[i]))
            .sum()
        / Arrays.stream(held).sum();
  }
}
