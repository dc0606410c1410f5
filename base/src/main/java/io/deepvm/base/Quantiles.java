package io.deepvm.base;

import java.util.Arrays;

/** The sorted values of a figure, their quantiles, and the 95 % confidence intervals of these. */
public final class Quantiles {

  /** Standard normal deviate of a two-sided 95 % interval. */
  private static final double Z95 = 1.959964;

  private final double[] sorted;

  /** Sorts a copy of the values, of which there is at least one. */
  public Quantiles(double[] values) {
    sorted = values.clone();
    Arrays.sort(sorted);
  }

  /** Returns the number of values. */
  public int count() {
    return sorted.length;
  }

  /** Returns the median: the mean of the two middle values if their number is even. */
  public double median() {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the mean. */
  public double mean() {
    double sum = 0;
    for (double v : sorted) {
      sum += v;
    }
    return sum / sorted.length;
  }

  /** Returns half the width of the mean's 95 % confidence interval. */
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

  /** Returns the smallest value that this share of the values does not exceed. */
  public double at(double share) {
    return sorted[index(share * sorted.length)];
  }

  /** Returns the share of the values that are above a limit. */
  public double shareAbove(double limit) {
    return Arrays.stream(sorted).filter(value -> value > limit).count() / (double) sorted.length;
  }

  /** Returns the low end of the quantile's 95 % confidence interval, by order statistics. */
  public double low(double share) {
    return sorted[index(share * sorted.length - spread(share))];
  }

  /** Returns the high end of that interval. */
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
