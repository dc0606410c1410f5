package io.deepvm.planner;

import java.util.List;

/**
 * How many of each type to take so that the sum of their values is greatest: exactly {@code open}
 * nodes, within the budget, the limits, the shared quotas and any further floors.
 */
record MixProblem(
    double[] values,
    long[] prices,
    int[] limits,
    int open,
    long budget,
    List<Pool> pools,
    List<Floor> floors) {

  /** A quota that several types share: what each draws, and the limit on the sum. */
  record Pool(double[] draws, double limit) {}

  /** A sum that must reach a minimum, such as the speed that keeps a deadline. */
  record Floor(double[] values, double least) {}

  /**
   * What no choice can exceed: the value when nodes may be split and quotas are forgotten, which is
   * the upper hull of (price, value) at the average price one can pay.
   */
  static double bound(double[] values, long[] prices, int open, long budget) {
    if (open == 0) {
      return 0;
    }
    double average = budget / (double) open;
    double best = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < values.length; i++) {
      if (prices[i] > average) {
        continue;
      }
      best = Math.max(best, values[i]);
      for (int j = 0; j < values.length; j++) {
        if (prices[j] > average && values[j] > values[i]) {
          double along = (average - prices[i]) / (prices[j] - prices[i]);
          best = Math.max(best, values[i] + along * (values[j] - values[i]));
        }
      }
    }
    return best * open;
  }
}
