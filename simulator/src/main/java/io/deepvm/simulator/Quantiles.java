package io.deepvm.simulator;

import java.util.Arrays;

/**
 * The values a figure took over many runs, sorted, and what can be said of where they come from.
 */
public final class Quantiles {

  /** Standard normal deviate of a two-sided 95 % interval. */
  private static final double Z95 = 1.959964;

  private final double[] sorted;

  /** Sorts a copy of the values, of which there is at least one. */
  public Quantiles(double[] values) {
    sorted = values.clone();
    Arrays.sort(sorted);
  }

  public int count() {
    return sorted.length;
  }

  public double mean() {
    double sum = 0;
    for (double v : sorted) {
      sum += v;
    }
    return sum / sorted.length;
  }

  /** Half the width of the mean's 95 % confidence interval. */
  public double meanMargin() {
    if (sorted.length < 2) {
      return Double.POSITIVE_INFINITY;
    }
    double mean = mean();
    double squares = 0;
    for (double v : sorted) {
      squares += (v - mean) * (v - mean);
    }
    return Z95 * Math.sqrt(squares / (sorted.length - 1) / sorted.length);
  }

  /** The value that a share of the runs does not exceed. */
  public double at(double share) {
    return sorted[index(share * sorted.length)];
  }

  /** Where the quantile's 95 % confidence interval begins, by order statistics. */
  public double low(double share) {
    return sorted[index(share * sorted.length - spread(share))];
  }

  /** Where it ends. */
  public double high(double share) {
    return sorted[index(share * sorted.length + spread(share) + 1)];
  }

  private double spread(double share) {
    return Z95 * Math.sqrt(sorted.length * share * (1 - share));
  }

  private int index(double rank) {
    return (int) Math.max(0, Math.min(sorted.length - 1, Math.ceil(rank) - 1));
  }
}
