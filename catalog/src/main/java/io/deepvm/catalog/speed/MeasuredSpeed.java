package io.deepvm.catalog.speed;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Precision;
import org.jspecify.annotations.Nullable;

/**
 * One measured training speed.
 *
 * @param model the model's name in {@link ModelNames#spelling}
 * @param gpus how many GPUs of one machine shared the work
 * @param batch samples that one GPU takes in a step; null when the source does not say
 * @param sampleSize edge of an image in pixels, or tokens of a sequence; null when not stated
 * @param samplesPerSecond of all GPUs together
 */
public record MeasuredSpeed(
    String model,
    Gpu gpu,
    int gpus,
    Precision precision,
    @Nullable Integer batch,
    @Nullable Integer sampleSize,
    double samplesPerSecond,
    SpeedSource source) {

  public MeasuredSpeed {
    if (gpus < 1) {
      throw new BadInput(
          "A speed of %d GPUs is not a measurement.".formatted(gpus), "Maybe write 1.");
    }
    if (!(samplesPerSecond > 0 && Double.isFinite(samplesPerSecond))) {
      throw new BadInput(
          "The speed %s samples/s is not a positive number.".formatted(samplesPerSecond),
          "Maybe drop the row.");
    }
    if (batch != null && batch < 1) {
      throw new BadInput(
          "The batch of %d samples is less than 1.".formatted(batch), "Maybe leave it empty.");
    }
  }

  /** Returns the speed of one of its GPUs. */
  public double perGpu() {
    return samplesPerSecond / gpus;
  }
}
