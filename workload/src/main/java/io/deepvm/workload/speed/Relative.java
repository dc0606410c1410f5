package io.deepvm.workload.speed;

import io.deepvm.catalog.speed.MeasuredSpeed;
import org.jspecify.annotations.Nullable;

/**
 * A measured series as evidence for a question: what it says, and how far that may be off.
 *
 * @param log logarithm of samples per second of one GPU, as asked for
 * @param variance of that logarithm
 * @param row the measurement that it starts from
 * @param exact whether it measured what is asked
 */
record Relative(double log, double variance, MeasuredSpeed row, boolean exact) {

  private static final int USUAL_IMAGE = 224;
  private static final int USUAL_SEQUENCE = 2048;

  /** The work of an image grows a little slower than its area, that of a sequence a bit faster. */
  private static final double BY_EDGE = 1.9;

  private static final double BY_TOKENS = 1.05;

  /**
   * A GPU among twice as many keeps this part of its speed: the median of the measured machines.
   */
  private static final double AMONG_TWICE_AS_MANY = 0.97;

  private static final double SIZE_SPREAD = 0.25;
  private static final double BATCH_SPREAD = 0.12;
  private static final double GPUS_SPREAD = 0.05;
  private static final double SAME_BATCH = 1.3;

  /** How far a device can be off before anything is known of the ratio. */
  private static final double STRANGER = 0.3;

  /** The series, changed to the batch, size and number of GPUs of the question. */
  record Start(Series series, @Nullable Integer size, int batch, double log, double variance) {

    /** Returns the variance that is expected after changing the device. */
    double outlook(Device to) {
      double known = series.device().likeness(to);
      return variance + STRANGER * STRANGER * (1 - known) + (isOtherWidth(to) ? 0.04 : 0);
    }

    private boolean isOtherWidth(Device to) {
      return series.device().bits() != to.bits();
    }

    Relative on(Device to, RatioModel ratios, int gpus, ModelFacts facts) {
      MeasuredSpeed row = series.nearest(size, batch);
      if (series.device().equals(to)) {
        double off = Math.abs(Math.log(Series.batch(row) / (double) batch));
        boolean exact =
            series.gpus() == gpus && off < Math.log(SAME_BATCH) && variance < 1.5 * trust();
        return new Relative(log, variance, row, exact);
      }
      RatioModel.Ratio ratio =
          ratios.of(
              series.source().name(), series.device(), to, series.features(size, batch, facts));
      return new Relative(log + ratio.log(), variance + ratio.variance(), row, false);
    }

    private double trust() {
      double stack = SourceTrust.of(series.source()).stack();
      return stack * stack;
    }
  }

  /** Returns what a series says of a question before its device is changed. */
  static Start start(Series series, SpeedQuestion question) {
    Integer wanted = question.model().sampleSize();
    Integer small = series.nearestSize(USUAL_IMAGE);
    boolean image = small == null || small <= 320;
    int aim = wanted != null ? wanted : image ? USUAL_IMAGE : USUAL_SEQUENCE;
    Integer size = series.nearestSize(aim);
    int largest = series.largestBatch(size);
    boolean stated = series.nearest(size, largest).batch() != null;
    int batch = question.batch() == null || !stated ? largest : question.batch();
    double stack = SourceTrust.of(series.source()).stack();
    double growth = size == null ? 0 : Math.log(size / (double) aim);
    double off = Math.log(batch / (double) Series.batch(series.nearest(size, batch)));
    double doublings = Math.log(question.gpus() / (double) series.gpus()) / Math.log(2);
    double log =
        Math.log(1e3 * batch / series.step(size, batch))
            + (image ? BY_EDGE : BY_TOKENS) * growth
            + Math.log(AMONG_TWICE_AS_MANY) * doublings;
    double variance =
        stack * stack
            + square(SIZE_SPREAD * growth)
            + square(BATCH_SPREAD * off)
            + square(GPUS_SPREAD * doublings);
    return new Start(series, size, batch, log, variance);
  }

  private static double square(double value) {
    return value * value;
  }
}
