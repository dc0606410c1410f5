package io.deepvm.workload.speed;

import java.util.Arrays;
import java.util.List;

/**
 * What is known of a step on the device where it was measured, as coordinates in which steps that
 * are near each other gain alike from another device.
 *
 * <p>A step that takes as long for twice the batch waits for the host, which no faster GPU changes;
 * one that takes twice as long is the GPU's own work.
 */
final class Features {

  /** Logarithm of the milliseconds of one sample. */
  static final int SAMPLE = 0;

  static final int BATCH = 1;

  /** Logarithm of the edge of an image. */
  static final int SIZE = 2;

  /** Growth of the step time by the batch: 0 for steps that wait for the host, 1 for the GPU's. */
  static final int ELASTICITY = 3;

  /** Logarithm of the step time over the least that was measured of the model there. */
  static final int ABOVE_LEAST = 4;

  /** Logarithm of the time of a sample over that at the largest batch measured. */
  static final int ABOVE_BEST = 5;

  /** Whether several batches were measured. */
  private static final int SCANNED = 6;

  /** 1 for sequences of tokens, whose long products of matrices follow the peak; else 0. */
  static final int SEQUENCE = 7;

  /** Logarithm of the GPUs that share the work. */
  static final int GPUS = 8;

  /** Logarithm of the step's milliseconds over the tensors: the host starts kernels for each. */
  static final int PER_TENSOR = 9;

  /** Logarithm of the step's milliseconds over the parameters, which several GPUs exchange. */
  static final int PER_PARAMETER = 10;

  static final int LARGEST_IMAGE = 512;

  /** Kernels that a step starts whatever the model, in tensors. */
  static final double FIXED_TENSORS = 7;

  /** The distance in each coordinate over which steps stop to be alike, by cross-validation. */
  private static final double[] ALIKE = {2.5, 0.52, 1.56, 1.02, 2, 0.5, 1, 0.7, 0.5, 2, 2.5};

  private static final double OUTLIER = 4;

  private final double[] mean = new double[ALIKE.length];
  private final double[] spread = new double[ALIKE.length];

  /** Takes the mean of what is known to stand for what is not. */
  Features(List<double[]> all) {
    for (int i = 0; i < ALIKE.length; i++) {
      int column = i;
      double[] known =
          all.stream().mapToDouble(x -> x[column]).filter(x -> !Double.isNaN(x)).toArray();
      double average = Arrays.stream(known).average().orElse(0);
      mean[i] = average;
      spread[i] =
          Math.sqrt(
              Arrays.stream(known).map(x -> (x - average) * (x - average)).average().orElse(0));
    }
  }

  static double[] unknown() {
    double[] features = new double[ALIKE.length];
    Arrays.fill(features, Double.NaN);
    return features;
  }

  /** Returns whether the step was measured at more than one batch. */
  static boolean isScanned(double[] features) {
    return !Double.isNaN(features[ELASTICITY]);
  }

  /** Returns whether a sample is a sequence of tokens. */
  static boolean isSequence(double[] features) {
    return features[SEQUENCE] > 0;
  }

  /** Returns the coordinates in units of likeness, around the mean; what is not known is NaN. */
  double[] scaled(double[] features) {
    double[] scaled = new double[ALIKE.length];
    for (int i = 0; i < ALIKE.length; i++) {
      double most = OUTLIER * spread[i];
      scaled[i] = Math.max(-most, Math.min(most, features[i] - mean[i])) / ALIKE[i];
    }
    scaled[SEQUENCE] = features[SEQUENCE] / ALIKE[SEQUENCE];
    scaled[SCANNED] = isScanned(features) ? 0.5 : -0.5;
    return scaled;
  }

  /**
   * Returns coordinates as far as they are known of an asked step, too: what is not known there
   * shows nothing, and an unknown one is the mean.
   */
  static double[] asKnown(double[] scaled, double[] asked) {
    boolean scanned = asked[SCANNED] > 0;
    double[] known = new double[scaled.length];
    for (int i = 0; i < known.length; i++) {
      boolean counts = i == SCANNED ? scanned : !Double.isNaN(asked[i]);
      known[i] = counts && !Double.isNaN(scaled[i]) ? scaled[i] : 0;
    }
    return known;
  }

  /** Returns how alike two steps are: 1 for the same. */
  static double likeness(double[] a, double[] b) {
    double distance = 0;
    for (int i = 0; i < a.length; i++) {
      distance += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return Math.exp(-distance / 2);
  }

  static double product(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
