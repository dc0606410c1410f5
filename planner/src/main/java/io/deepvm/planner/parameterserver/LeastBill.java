package io.deepvm.planner.parameterserver;

/**
 * The least bill that any completion of a part of a cluster can have, given the lines below which
 * its price and amplitude cannot fall. Both are piecewise linear in the cluster's rate U; on each
 * piece the time is a / U^2 + b / U and the price c + d U, so that the least bill lies at an end of
 * the piece, where the product is stationary, or where the time meets the deadline.
 */
final class LeastBill {

  private final Fleet fleet;
  private final SupportLines lines;
  private final double deadline;
  private double leastProduct;
  private double leastPrice;

  LeastBill(Fleet fleet, SupportLines lines) {
    this.fleet = fleet;
    this.lines = lines;
    deadline = fleet.trainingSeconds * (1 + Fleet.ROUNDING);
  }

  /** The least bill when the rest comes from the offers at and after the first; maybe infinite. */
  double below(int first, int left, Fleet.Sums sums, double stale) {
    double from = sums.rate() + lines.leastRate[first][left];
    double to = sums.rate() + lines.mostRate[first][left];
    if (!(from < Double.POSITIVE_INFINITY)) {
      return Double.POSITIVE_INFINITY;
    }
    leastProduct = Double.POSITIVE_INFINITY;
    leastPrice = Double.POSITIVE_INFINITY;
    double[] priceSlopes = lines.priceSlopes;
    double[] amplitudeSlopes = lines.amplitudeSlopes;
    double at = from;
    int p = highest(lines.price, priceSlopes, first, left, at - sums.rate());
    int q = highest(lines.amplitude, amplitudeSlopes, first, left, at - sums.rate());
    while (true) {
      double nextPrice = Double.POSITIVE_INFINITY;
      int afterP = p;
      double heightP = lines.price[p][first][left];
      for (int k = p + 1; k < priceSlopes.length; k++) {
        double cross =
            (heightP - lines.price[k][first][left]) / (priceSlopes[k] - priceSlopes[p]);
        if (cross < nextPrice) {
          nextPrice = cross;
          afterP = k;
        }
      }
      double nextAmplitude = Double.POSITIVE_INFINITY;
      int afterQ = q;
      double heightQ = lines.amplitude[q][first][left];
      for (int k = q + 1; k < amplitudeSlopes.length; k++) {
        double cross =
            (heightQ - lines.amplitude[k][first][left]) / (amplitudeSlopes[k] - amplitudeSlopes[q]);
        if (cross < nextAmplitude) {
          nextAmplitude = cross;
          afterQ = k;
        }
      }
      double next = Math.min(to, sums.rate() + Math.min(nextPrice, nextAmplitude));
      piece(
          at,
          next,
          stale * (sums.amplitude() + heightQ - amplitudeSlopes[q] * sums.rate()),
          stale * amplitudeSlopes[q] - fleet.shift,
          sums.price() + heightP - priceSlopes[p] * sums.rate(),
          priceSlopes[p]);
      if (next >= to) {
        break;
      }
      at = Math.max(at, next);
      if (nextPrice <= nextAmplitude) {
        p = afterP;
      } else {
        q = afterQ;
      }
    }
    return leastProduct == Double.POSITIVE_INFINITY
        ? Double.POSITIVE_INFINITY
        : (leastProduct + fleet.extraSeconds * leastPrice) / 3600;
  }

  /** The line that is highest at this rate, the steepest of equals. */
  private static int highest(
      double[][][] heights, double[] slopes, int first, int left, double rate) {
    int highest = 0;
    double best = Double.NEGATIVE_INFINITY;
    for (int k = 0; k < slopes.length; k++) {
      double value = heights[k][first][left] + slopes[k] * rate;
      if (value >= best) {
        best = value;
        highest = k;
      }
    }
    return highest;
  }

  /** Weighs times a / U^2 + b / U and prices c + d U for rates between two. */
  private void piece(double from, double to, double a, double b, double c, double d) {
    if ((a / from + b) < 0 || (a / to + b) < 0) {
      // The goal may already be met at some of these rates.
      note(0, Math.min(c + d * from, c + d * to));
      return;
    }
    weigh(from, a, b, c, d);
    weigh(to, a, b, c, d);
    double stationary = -2 * a * c / (a * d + b * c);
    if (stationary > from && stationary < to) {
      weigh(stationary, a, b, c, d);
    }
    double under = b * b + 4 * deadline * a;
    if (deadline < Double.POSITIVE_INFINITY && under >= 0) {
      double root = Math.sqrt(under);
      meet((b - root) / (2 * deadline), from, to, c, d);
      meet((b + root) / (2 * deadline), from, to, c, d);
    }
  }

  private void weigh(double rate, double a, double b, double c, double d) {
    double seconds = (a / rate + b) / rate;
    if (seconds <= deadline) {
      note(seconds, c + d * rate);
    }
  }

  private void meet(double rate, double from, double to, double c, double d) {
    if (rate > from && rate < to) {
      note(deadline, c + d * rate);
    }
  }

  private void note(double seconds, double price) {
    leastProduct = Math.min(leastProduct, seconds * price);
    leastPrice = Math.min(leastPrice, price);
  }
}
