package io.deepvm.workload.speed;

import io.deepvm.catalog.speed.MeasuredSpeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How many times as fast another device is, learned from everything that was measured on two.
 *
 * <p>The logarithm of the ratio has a mean that is linear in the datasheets, and a deviation from
 * it that is a Gaussian process: pairs of devices like these, with steps like this, deviate alike.
 * Where nothing alike was measured, the datasheets remain. docs/explanation/speeds.md has the
 * formulas.
 */
final class RatioModel {

  /** The nearest pairs decide; more change nothing that cross-validation could see. */
  private static final int NEAREST = 80;

  /** Variance that devices deviate by whatever the step, by steps like it, and linearly in it. */
  private static final double BY_DEVICE = 0.09;

  /** Variance of a device's own deviation from its datasheet, whatever it is compared with. */
  private static final double OF_DEVICE = 0.08;

  private static final double BY_STEP = 0.09;
  private static final double LINEAR = 0.002;

  /** How alike pairs of different sources are: hosts and software differ. */
  private static final double OTHER_SOURCE = 0.5;

  /** Sources use their own best batch; speeds at batches further apart than this do not compare. */
  private static final double COMPARABLE = 4.1;

  /** What the process thinks of its error, against its error in cross-validation. */
  private static final double OVERCONFIDENCE = 1.1;

  /**
   * The logarithm of a ratio of speeds.
   *
   * @param variance of the logarithm
   */
  record Ratio(double log, double variance) {}

  /**
   * Two measurements of the same work.
   *
   * @param step what is known of it on the first device
   */
  private record Pair(
      String source,
      Device from,
      Device to,
      double[] step,
      boolean sequence,
      double log,
      double noise) {

    /** What two ratios have in common because a device deviates alike in both. */
    double common(Device otherFrom, Device otherTo) {
      return OF_DEVICE
          * (to.likeness(otherTo)
              + from.likeness(otherFrom)
              - to.likeness(otherFrom)
              - from.likeness(otherTo));
    }

    double likeness(String otherSource, Device otherFrom, Device otherTo) {
      double alike = from.likeness(otherFrom) * to.likeness(otherTo);
      return source.equals(otherSource) ? alike : OTHER_SOURCE * alike;
    }
  }

  private final Features features;
  private final DatasheetRatio datasheet;
  private final List<Pair> pairs = new ArrayList<>();
  private final double[] deviation;
  private final Map<Device, Map<Device, List<Integer>>> alike = new ConcurrentHashMap<>();

  RatioModel(List<Series> all, Function<String, ModelFacts> facts) {
    List<double[]> steps = new ArrayList<>();
    for (Series series : all) {
      for (MeasuredSpeed row : series.rows()) {
        steps.add(
            series.features(row.sampleSize(), Series.batch(row), facts.apply(series.model())));
      }
    }
    features = new Features(steps);
    DatasheetRatio.Fit fit = new DatasheetRatio.Fit();
    Map<String, List<Series>> comparable = new LinkedHashMap<>();
    for (Series series : all) {
      comparable
          .computeIfAbsent(
              series.source().name() + '/' + series.model() + '/' + series.gpus(),
              key -> new ArrayList<>())
          .add(series);
    }
    for (List<Series> group : comparable.values()) {
      for (Series from : group) {
        for (Series to : group) {
          if (!from.device().equals(to.device())) {
            addPairs(from, to, facts.apply(from.model()), fit);
          }
        }
      }
    }
    datasheet = fit.solve();
    deviation = new double[pairs.size()];
    for (int i = 0; i < deviation.length; i++) {
      Pair pair = pairs.get(i);
      deviation[i] = pair.log - datasheet.log(pair.from, pair.to, pair.sequence());
    }
  }

  private void addPairs(Series from, Series to, ModelFacts facts, DatasheetRatio.Fit fit) {
    double noise = SourceTrust.of(from.source()).noise();
    for (MeasuredSpeed row : from.rows()) {
      MeasuredSpeed other = partner(row, to);
      if (other != null) {
        int batch = Series.batch(row);
        double[] measured = from.features(row.sampleSize(), batch, facts);
        boolean sequence = Features.isSequence(measured);
        double log = Math.log(other.perGpu() / row.perGpu());
        pairs.add(
            new Pair(
                from.source().name(),
                from.device(),
                to.device(),
                features.scaled(measured),
                sequence,
                log,
                noise));
        fit.add(from.source().name(), from.device(), to.device(), sequence, log);
      }
    }
  }

  /**
   * Returns the other device's row of the same size and batch, or null. Where a source measured one
   * batch a device, the best for it, that batch may differ.
   */
  private static @Nullable MeasuredSpeed partner(MeasuredSpeed row, Series other) {
    int batch = Series.batch(row);
    MeasuredSpeed nearest = other.nearestOrNull(row.sampleSize(), batch);
    if (nearest == null || Series.batch(nearest) == batch) {
      return nearest;
    }
    double distance = Math.abs(Math.log(Series.batch(nearest) / (double) batch));
    return other.batches(row.sampleSize()) == 1 && distance < Math.log(COMPARABLE) ? nearest : null;
  }

  /**
   * Returns the ratio for a step that was measured on the first device.
   *
   * @param source which measured it: its other pairs show most
   */
  Ratio of(String source, Device from, Device to, double[] measured) {
    double[] asked = features.scaled(measured);
    double[] step = Features.asKnown(asked, asked);
    int[] near = nearest(source, from, to, asked);
    int n = near.length;
    double[][] steps = new double[n][];
    double[][] covariance = new double[n][n];
    double[] toStep = new double[n];
    double[] known = new double[n];
    for (int i = 0; i < n; i++) {
      Pair a = pairs.get(near[i]);
      steps[i] = Features.asKnown(a.step, asked);
      for (int j = 0; j <= i; j++) {
        Pair b = pairs.get(near[j]);
        covariance[i][j] =
            a.likeness(b.source, b.from, b.to) * kernel(steps[i], steps[j])
                + a.common(b.from, b.to);
      }
      covariance[i][i] += a.noise * a.noise;
      toStep[i] = a.likeness(source, from, to) * kernel(steps[i], step) + a.common(from, to);
      known[i] = deviation[near[i]];
    }
    PositiveMatrix matrix = new PositiveMatrix(covariance);
    double[] weights = matrix.solve(toStep);
    double own = 2 * OF_DEVICE * (1 - from.likeness(to));
    double variance = Math.max(0, kernel(step, step) + own - Features.product(weights, toStep));
    return new Ratio(
        datasheet.log(from, to, Features.isSequence(measured)) + Features.product(weights, known),
        OVERCONFIDENCE * OVERCONFIDENCE * variance);
  }

  private static double kernel(double[] a, double[] b) {
    return BY_DEVICE + BY_STEP * Features.likeness(a, b) + LINEAR * Features.product(a, b);
  }

  private int[] nearest(String source, Device from, Device to, double[] asked) {
    double[] step = Features.asKnown(asked, asked);
    List<Integer> candidates =
        alike
            .computeIfAbsent(from, key -> new ConcurrentHashMap<>())
            .computeIfAbsent(to, key -> candidates(from, to));
    double[] likeness = new double[candidates.size()];
    for (int i = 0; i < likeness.length; i++) {
      Pair pair = pairs.get(candidates.get(i));
      likeness[i] =
          pair.likeness(source, from, to)
              * (BY_DEVICE + BY_STEP * Features.likeness(Features.asKnown(pair.step, asked), step));
    }
    double least = 0;
    if (likeness.length > NEAREST) {
      double[] sorted = likeness.clone();
      Arrays.sort(sorted);
      least = sorted[sorted.length - NEAREST];
    }
    int[] nearest = new int[Math.min(NEAREST, likeness.length)];
    int found = 0;
    for (int i = 0; i < likeness.length && found < nearest.length; i++) {
      if (likeness[i] >= least) {
        nearest[found++] = candidates.get(i);
      }
    }
    return nearest;
  }

  /** Returns the pairs of devices that are at all like these. */
  private List<Integer> candidates(Device from, Device to) {
    Map<Device, Double> likeFrom = new HashMap<>();
    Map<Device, Double> likeTo = new HashMap<>();
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < pairs.size(); i++) {
      Pair pair = pairs.get(i);
      double likeness =
          likeFrom.computeIfAbsent(pair.from, from::likeness)
              * likeTo.computeIfAbsent(pair.to, to::likeness);
      if (likeness > 0.01) {
        found.add(i);
      }
    }
    return found;
  }
}
