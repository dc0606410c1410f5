package io.deepvm.workload.averaging;

import java.util.Collection;

/** The absolute relative errors of a set of predictions: their median, ninth decile and worst. */
public record Errors(int runs, double median, double ninthDecile, double worst) {

  /** Returns them for errors of either sign. */
  public static Errors of(Collection<Double> signed) {
    double[] sorted = signed.stream().mapToDouble(Math::abs).sorted().toArray();
    int n = sorted.length;
    double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    return new Errors(n, median, sorted[(int) (0.9 * (n - 1))], sorted[n - 1]);
  }
}
