package io.deepvm.market.stats;

import io.deepvm.base.Quantiles;

/** How long a state lasted each time; runs cut off by the end or by a gap count as they are. */
public record Runs(int count, double medianHours, double meanHours, double maxHours) {

  static Runs of(double[] hours) {
    if (hours.length == 0) {
      return new Runs(0, Double.NaN, Double.NaN, Double.NaN);
    }
    Quantiles sorted = new Quantiles(hours);
    return new Runs(sorted.count(), sorted.median(), sorted.mean(), sorted.at(1));
  }
}
