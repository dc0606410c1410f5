package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;

/** The speed of a machine that adds every micro-batch's gradients to a second buffer. */
public final class AccumulatedRate {

  private AccumulatedRate() {}

  /**
   * Returns samples per second while accumulating, from those without.
   *
   * @param microBatch samples between two additions
   * @param memoryBytesPerSecond of one GPU
   */
  public static double of(
      double samplesPerSecond, int microBatch, double memoryBytesPerSecond, TrainedModel model) {
    if (microBatch < 1) {
      throw new BadInput(
          "The micro-batch of %d samples is less than 1.".formatted(microBatch), "Maybe 32.");
    }
    double addition =
        Coefficients.STUDY.accumulationBytes() * model.parameters() / memoryBytesPerSecond;
    return microBatch / (microBatch / samplesPerSecond + addition);
  }
}
