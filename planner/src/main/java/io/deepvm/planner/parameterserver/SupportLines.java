package io.deepvm.planner.parameterserver;

import java.util.Arrays;
import java.util.TreeSet;

/**
 * Straight lines below which the price (and likewise the amplitude) of any r workers taken from the
 * later offers cannot fall, as functions of their rate: for each slope, price minus slope times
 * rate is least for the r workers with the least such difference. Limits per offer are respected.
 */
final class SupportLines {

  private static final int MOST_SLOPES = 10;

  /** Slopes in rising order. */
  final double[] priceSlopes;

  final double[] amplitudeSlopes;

  /** By slope, first offer that may be used, and number of workers. */
  final double[][][] price;

  final double[][][] amplitude;

  /** By first offer that may be used, and number of workers. */
  final double[][] leastRate;

  final double[][] mostRate;

  /**
   * @param near the rate per worker near which the lines should be close; negative for anywhere
   * @param every whether lines are needed for every first offer, or only for the first of all
   */
  SupportLines(Fleet fleet, int[] order, int[] limit, int workers, double near, boolean every) {
    double[] rate = pick(fleet.rate, order);
    double[] prices = pick(fleet.price, order);
    double[] amplitudes = pick(fleet.amplitude, order);
    int firsts = every ? order.length : Math.min(1, order.length);
    Table table = new Table(limit, workers, firsts);
    priceSlopes = slopes(rate, prices, limit, workers, near);
    amplitudeSlopes = slopes(rate, amplitudes, limit, workers, near);
    price = lines(table, rate, prices, priceSlopes);
    amplitude = lines(table, rate, amplitudes, amplitudeSlopes);
    leastRate = table.least(rate);
    mostRate = table.least(Arrays.stream(rate).map(r -> -r).toArray());
    for (double[] row : mostRate) {
      for (int r = 0; r < row.length; r++) {
        row[r] = -row[r];
      }
    }
  }

  private static double[] pick(double[] values, int[] order) {
    return Arrays.stream(order).mapToDouble(i -> values[i]).toArray();
  }

  private static double[][][] lines(
      Table table, double[] rate, double[] value, double[] slopes) {
    double[][][] lines = new double[slopes.length][][];
    for (int s = 0; s < slopes.length; s++) {
      lines[s] = table.least(reduced(rate, value, slopes[s]));
    }
    return lines;
  }

  private static double[] reduced(double[] rate, double[] value, double slope) {
    double[] reduced = new double[rate.length];
    for (int i = 0; i < rate.length; i++) {
      reduced[i] = value[i] - slope * rate[i];
    }
    return reduced;
  }

  /** Slope zero, and those of the lower hull of the offers that matter near the wanted rate. */
  private static double[] slopes(
      double[] rate, double[] value, int[] limit, int workers, double near) {
    TreeSet<Double> slopes = hullSlopes(rate, value);
    slopes.add(0.0);
    if (near < 0 || workers == 0) {
      return thinned(slopes, Double.NaN);
    }
    double tangent = tangent(rate, value, limit, workers, near);
    double[] kept = thinned(slopes, tangent);
    TreeSet<Double> all = new TreeSet<>();
    for (double slope : kept) {
      all.add(slope);
    }
    for (double factor : new double[] {0.8, 0.9, 1, 1.1, 1.25, 1.6}) {
      all.add(factor * tangent);
    }
    return all.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** At most so many slopes: those around the wanted one, or spread evenly. */
  private static double[] thinned(TreeSet<Double> slopes, double wanted) {
    double[] all = slopes.stream().mapToDouble(Double::doubleValue).toArray();
    if (all.length <= MOST_SLOPES) {
      return all;
    }
    if (Double.isNaN(wanted)) {
      double[] spread = new double[MOST_SLOPES];
      for (int i = 0; i < MOST_SLOPES; i++) {
        spread[i] = all[i * (all.length - 1) / (MOST_SLOPES - 1)];
      }
      return spread;
    }
    int at = Math.abs(Arrays.binarySearch(all, wanted));
    int from = Math.max(0, Math.min(all.length - MOST_SLOPES, at - MOST_SLOPES / 2));
    return Arrays.copyOfRange(all, from, from + MOST_SLOPES);
  }

  /** The slopes of the edges of the lower convex hull of the points (rate, value). */
  private static TreeSet<Double> hullSlopes(double[] rate, double[] value) {
    Integer[] byRate = new Integer[rate.length];
    Arrays.setAll(byRate, i -> i);
    Arrays.sort(
        byRate,
        (a, b) ->
            rate[a] != rate[b]
                ? Double.compare(rate[a], rate[b])
                : Double.compare(value[a], value[b]));
    int[] hull = new int[rate.length];
    int size = 0;
    for (int i : byRate) {
      if (size > 0 && rate[hull[size - 1]] == rate[i]) {
        continue;
      }
      while (size >= 2
          && slope(rate, value, hull[size - 2], hull[size - 1])
              >= slope(rate, value, hull[size - 1], i)) {
        size--;
      }
      hull[size++] = i;
    }
    TreeSet<Double> slopes = new TreeSet<>();
    for (int i = 1; i < size; i++) {
      slopes.add(slope(rate, value, hull[i - 1], hull[i]));
    }
    return slopes;
  }

  private static double slope(double[] rate, double[] value, int from, int to) {
    return (value[to] - value[from]) / (rate[to] - rate[from]);
  }

  /** The slope whose line is highest at the wanted rate, limits respected. */
  private static double tangent(
      double[] rate, double[] value, int[] limit, int workers, double near) {
    Table table = new Table(limit, workers, 1);
    double low = 0;
    double high = 0;
    for (int i = 0; i < rate.length; i++) {
      high = Math.max(high, 4 * value[i] / rate[i]);
    }
    for (int step = 0; step < 40; step++) {
      double a = low + (high - low) / 3;
      double b = high - (high - low) / 3;
      double atA = a * near * workers + table.least(reduced(rate, value, a))[0][workers];
      double atB = b * near * workers + table.least(reduced(rate, value, b))[0][workers];
      if (atA < atB) {
        low = a;
      } else {
        high = b;
      }
    }
    return (low + high) / 2;
  }

  /** Sums of the least values of so many workers from the offers at and after each first. */
  private static final class Table {

    private final int[] limit;
    private final int workers;
    private final int firsts;

    Table(int[] limit, int workers, int firsts) {
      this.limit = limit;
      this.workers = workers;
      this.firsts = firsts;
    }

    double[][] least(double[] value) {
      Integer[] rising = new Integer[value.length];
      Arrays.setAll(rising, i -> i);
      Arrays.sort(rising, (a, b) -> Double.compare(value[a], value[b]));
      double[][] least = new double[Math.max(1, firsts)][workers + 1];
      for (int first = 0; first < least.length; first++) {
        double[] row = least[first];
        int filled = 0;
        for (int offer : rising) {
          if (offer < first) {
            continue;
          }
          for (int k = 0; k < limit[offer] && filled < workers; k++) {
            row[filled + 1] = row[filled] + value[offer];
            filled++;
          }
          if (filled == workers) {
            break;
          }
        }
        Arrays.fill(row, filled + 1, workers + 1, Double.POSITIVE_INFINITY);
      }
      return least;
    }
  }
}
