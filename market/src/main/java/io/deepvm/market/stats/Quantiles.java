package io.deepvm.market.stats;

/** Quantiles of sorted numbers. */
final class Quantiles {

  private Quantiles() {}

  static double median(double[] sorted) {
    int middle = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the number below which this share lies, the nearest one there is. */
  static double at(double[] sorted, double share) {
    return sorted.length == 0
        ? Double.NaN
        : sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))];
  }
}
