package io.deepvm.market.stats;

import java.util.Arrays;

/** How long a state lasted each time; runs cut off by the end or by a gap count as they are. */
public record Runs(int count, double medianHours, double meanHours, double maxHours) {

  static Runs of(double[] hours) {
    double[] sorted = hours.clone();
    Arrays.sort(sorted);
    return new Runs(
        sorted.length,
        Quantiles.median(sorted),
        Arrays.stream(sorted).average().orElse(Double.NaN),
        sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1]);
  }
}
