package io.deepvm.planner.parameterserver;

import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Straight lines below which the price (and likewise the amplitude) of any r workers taken from the
 * later offers cannot fall, as functions of their rate: for each slope, price minus slope times
 * rate is least for the r workers with the least such difference. Limits per offer are respected.
 */
final class SupportLines {

  private static final int MOST_SLOPES = 10;
  private static final int STEPS = 28;
  private static final double MOST_WEIGHT = 50;

  /** Slopes besides the best one at a good cluster, for nodes some way off it. */
  private static final double[] AROUND = {0.8, 0.9, 1, 1.1, 1.25, 1.6};

  /** Slopes in rising order. */
  final double[] priceSlopes;

  final double[] amplitudeSlopes;

  /** By slope, first offer that may be used, and number of workers. */
  final double[][][] price;

  final double[][][] amplitude;

  /** Lines below price plus weight times amplitude, one set for each weight. */
  final Mixed[] mixed;

  /** Lines below the samples per second. */
  final double[] samplesSlopes;

  final double[][][] samples;

  /** Samples per second of the slowest and the fastest offer that may be used, by the first. */
  final double[] slowest;

  final double[] fastest;

  /** By first offer that may be used, and number of workers. */
  final double[][] leastRate;

  final double[][] mostRate;

  /** The same for offers that draw on a shared limit; each unit of the limit has a price. */
  final Shared[] shared;

  /** Lines below price plus a weight times amplitude: both cannot be least at once. */
  record Mixed(double weight, double[] slopes, double[][][] lines) {}

  /**
   * Bounds that hold because a limit is shared: what is drawn costs a fictitious price, and what is
   * left of the limit earns it back. They are the closest near a good cluster.
   *
   * @param unitPrice dollars per unit drawn, in the price lines
   * @param unitRate rate per unit drawn, in the bound on the rate
   * @param leastDrawn by first offer that may be used, and number of workers
   */
  record Shared(
      double[] drawn,
      double limit,
      double unitPrice,
      double[][][] price,
      double unitRate,
      double[][] mostRate,
      double[][] leastDrawn) {}

  /**
   * @param good a cluster near which the lines should be close; null for rough lines, for the first
   *     offer only and without regard to shared limits
   */
  SupportLines(
      Fleet fleet, List<SharedLimit> limits, int[] order, int[] limit, Fleet.@Nullable Sums good) {
    int workers = fleet.added;
    boolean rough = good == null || workers == 0;
    double near = good == null || workers == 0 ? -1 : (good.rate() - fleet.base.rate()) / workers;
    double[] rate = pick(fleet.rate, order);
    double[] prices = pick(fleet.price, order);
    double[] amplitudes = pick(fleet.amplitude, order);
    int firsts = rough ? 1 : order.length;
    LeastSums table = new LeastSums(limit, workers, firsts);
    priceSlopes = slopes(rate, prices, limit, workers, near);
    amplitudeSlopes = slopes(rate, amplitudes, limit, workers, near);
    price = lines(table, rate, prices, priceSlopes);
    amplitude = lines(table, rate, amplitudes, amplitudeSlopes);
    leastRate = table.least(rate);
    mostRate = table.most(rate);
    double[] speeds = pick(fleet.samples, order);
    samplesSlopes = fleet.coefficient ? slopes(rate, speeds, limit, workers, near) : new double[0];
    samples = lines(table, rate, speeds, samplesSlopes);
    slowest = new double[order.length + 1];
    fastest = new double[order.length + 1];
    slowest[order.length] = Double.POSITIVE_INFINITY;
    for (int i = order.length - 1; i >= 0; i--) {
      slowest[i] = Math.min(slowest[i + 1], speeds[i]);
      fastest[i] = Math.max(fastest[i + 1], speeds[i]);
    }
    LeastSums first = new LeastSums(limit, workers, 1);
    double[] weights =
        good == null || workers == 0
            ? new double[0]
            : weights(fleet, good, first, rate, prices, amplitudes, near);
    mixed = new Mixed[weights.length];
    for (int i = 0; i < weights.length; i++) {
      double[] values = plus(prices, amplitudes, weights[i]);
      double[] slopes = slopes(rate, values, limit, workers, near);
      mixed[i] = new Mixed(weights[i], slopes, lines(table, rate, values, slopes));
    }
    shared = new Shared[rough ? 0 : limits.size()];
    for (int i = 0; i < shared.length; i++) {
      SharedLimit each = limits.get(i);
      double[] drawn = each.drawnBy(order);
      double unitPrice =
          best(
              0,
              ratio(prices, drawn),
              unit ->
                  highest(first, rate, plus(prices, drawn, unit), near, workers)
                      - unit * each.limit());
      double unitRate =
          best(
              0,
              ratio(rate, drawn),
              unit -> -first.mostOfAll(plus(rate, drawn, -unit)) - unit * each.limit());
      shared[i] =
          new Shared(
              drawn,
              each.limit(),
              unitPrice,
              lines(table, rate, plus(prices, drawn, unitPrice), priceSlopes),
              unitRate,
              table.most(plus(rate, drawn, -unitRate)),
              table.least(drawn));
    }
  }

  /**
   * The weights that count: the one of the product of price and amplitude, the one at which the
   * good cluster is hardest to undercut with no more amplitude, which rules near the deadline, and
   * one between for where that one is extreme.
   */
  private static double[] weights(
      Fleet fleet,
      Fleet.Sums good,
      LeastSums sums,
      double[] rate,
      double[] prices,
      double[] amplitudes,
      double near) {
    double even = good.price() / good.amplitude();
    double amplitude = good.amplitude() - fleet.base.amplitude();
    double hardest =
        best(
            0,
            MOST_WEIGHT * even,
            weight ->
                highest(sums, rate, plus(prices, amplitudes, weight), near, fleet.added)
                    - weight * amplitude);
    return new double[] {Math.max(hardest, 0.1 * even), 6 * even, even};
  }

  private static double[] plus(double[] values, double[] others, double weight) {
    double[] sum = new double[values.length];
    for (int i = 0; i < sum.length; i++) {
      sum[i] = values[i] + weight * others[i];
    }
    return sum;
  }

  /** More than any useful price of a unit drawn. */
  private static double ratio(double[] values, double[] drawn) {
    double most = 0;
    for (int i = 0; i < values.length; i++) {
      if (drawn[i] > 0) {
        most = Math.max(most, 2 * values[i] / drawn[i]);
      }
    }
    return most;
  }

  /** The height at the wanted rate of the highest line. */
  private static double highest(
      LeastSums table, double[] rate, double[] value, double near, int workers) {
    double slope = tangent(table, rate, value, near, workers);
    return slope * near * workers + table.leastOfAll(reduced(rate, value, slope));
  }

  /** Where a concave function is greatest. */
  private static double best(double low, double high, DoubleUnaryOperator concave) {
    double from = low;
    double to = high;
    for (int step = 0; step < STEPS; step++) {
      double a = from + (to - from) / 3;
      double b = to - (to - from) / 3;
      if (concave.applyAsDouble(a) < concave.applyAsDouble(b)) {
        from = a;
      } else {
        to = b;
      }
    }
    return (from + to) / 2;
  }

  private static double[] pick(double[] values, int[] order) {
    return Arrays.stream(order).mapToDouble(i -> values[i]).toArray();
  }

  private static double[][][] lines(
      LeastSums table, double[] rate, double[] value, double[] slopes) {
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
    SortedSet<Double> hull = hullSlopes(rate, value);
    boolean anywhere = near < 0 || workers == 0;
    double tangent =
        anywhere
            ? Double.NaN
            : tangent(new LeastSums(limit, workers, 1), rate, value, near, workers);
    TreeSet<Double> all = new TreeSet<>();
    all.add(0.0);
    for (double slope : thinned(hull, tangent)) {
      all.add(slope);
    }
    if (!anywhere) {
      for (double factor : AROUND) {
        all.add(factor * tangent);
      }
    }
    return all.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Returns at most n slopes: those around the wanted slope, or evenly spread ones. */
  private static double[] thinned(SortedSet<Double> slopes, double wanted) {
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
  private static SortedSet<Double> hullSlopes(double[] rate, double[] value) {
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
      LeastSums table, double[] rate, double[] value, double near, int workers) {
    double steepest = 0;
    for (int i = 0; i < rate.length; i++) {
      steepest = Math.max(steepest, 4 * value[i] / rate[i]);
    }
    return best(
        0,
        steepest,
        slope -> slope * near * workers + table.leastOfAll(reduced(rate, value, slope)));
  }
}
