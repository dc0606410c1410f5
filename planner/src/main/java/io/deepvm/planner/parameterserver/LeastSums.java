package io.deepvm.planner.parameterserver;

import java.util.Arrays;

/**
 * Sums over the workers that have the least of some value, for every number of workers and every
 * first offer that may be used.
 */
final class LeastSums {

  private final int[] limit;
  private final int workers;
  private final int firsts;

  /**
   * @param limit how many workers each offer has
   * @param firsts for how many first offers sums are wanted
   */
  LeastSums(int[] limit, int workers, int firsts) {
    this.limit = limit;
    this.workers = workers;
    this.firsts = Math.max(1, firsts);
  }

  /** The least sums, by first offer and number of workers; infinite where there are too few. */
  double[][] least(double[] value) {
    int[] rising = rising(value);
    double[][] least = new double[firsts][workers + 1];
    for (int first = 0; first < firsts; first++) {
      double[] row = least[first];
      int filled = 0;
      for (int i = 0; i < rising.length && filled < workers; i++) {
        int offer = rising[i];
        if (offer >= first) {
          int until = Math.min(workers, filled + limit[offer]);
          for (; filled < until; filled++) {
            row[filled + 1] = row[filled] + value[offer];
          }
        }
      }
      Arrays.fill(row, filled + 1, workers + 1, Double.POSITIVE_INFINITY);
    }
    return least;
  }

  /** The least sum of all the workers from all the offers. */
  double leastOfAll(double[] value) {
    double sum = 0;
    int left = workers;
    for (int offer : rising(value)) {
      int taken = Math.min(left, limit[offer]);
      sum += taken * value[offer];
      left -= taken;
      if (left == 0) {
        return sum;
      }
    }
    return left == 0 ? sum : Double.POSITIVE_INFINITY;
  }

  /** The greatest sums; minus infinity where there are too few. */
  double[][] most(double[] value) {
    double[][] most = least(negated(value));
    for (double[] row : most) {
      for (int r = 0; r < row.length; r++) {
        row[r] = -row[r];
      }
    }
    return most;
  }

  /** The greatest sum of all the workers from all the offers. */
  double mostOfAll(double[] value) {
    return -leastOfAll(negated(value));
  }

  private static double[] negated(double[] value) {
    return Arrays.stream(value).map(v -> -v).toArray();
  }

  /** Offers by rising value; there are few, so that insertion is quickest. */
  private static int[] rising(double[] value) {
    int[] rising = new int[value.length];
    for (int i = 0; i < rising.length; i++) {
      int at = i;
      while (at > 0 && value[rising[at - 1]] > value[i]) {
        rising[at] = rising[at - 1];
        at--;
      }
      rising[at] = i;
    }
    return rising;
  }
}
