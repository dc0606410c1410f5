package io.deepvm.market.stats;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How a spot price moved.
 *
 * @param volatility its standard deviation as a share of its mean
 * @param changesPerDay how often it was another than in the tick before
 */
public record PriceStats(
    double min, double mean, double max, double volatility, double changesPerDay) {

  static @Nullable PriceStats of(double[] recorded, double tickSeconds) {
    double[] prices = Arrays.stream(recorded).filter(price -> !Double.isNaN(price)).toArray();
    if (prices.length == 0) {
      return null;
    }
    double mean = Arrays.stream(prices).average().orElseThrow();
    double variance =
        Arrays.stream(prices).map(p -> (p - mean) * (p - mean)).average().orElseThrow();
    int changes = 0;
    for (int i = 1; i < prices.length; i++) {
      changes += prices[i] != prices[i - 1] ? 1 : 0;
    }
    return new PriceStats(
        Arrays.stream(prices).min().orElseThrow(),
        mean,
        Arrays.stream(prices).max().orElseThrow(),
        mean == 0 ? 0 : Math.sqrt(variance) / mean,
        changes * 86_400 / (prices.length * tickSeconds));
  }
}
