package io.deepvm.workload;

import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/**
 * How much there is to compute.
 *
 * @param flop floating-point operations in all, in the catalog's unit of speed times a second
 * @param utilisation the share of a machine's dense peak that training reaches
 * @param samples how many samples that is; null when not stated
 */
public record Work(double flop, double utilisation, @Nullable Double samples) {

  /** Work with an unknown number of samples. */
  public Work(double flop, double utilisation) {
    this(flop, utilisation, null);
  }

  public Work {
    if (!(flop > 0) || Double.isInfinite(flop)) {
      throw new BadInput(
          "The work of %s floating-point operations is not a positive number.".formatted(flop),
          "Maybe samples or flopPerSample is missing a digit.");
    }
    if (!(utilisation > 0 && utilisation <= 1)) {
      throw new BadInput(
          "The utilisation %s is not above 0 and at most 1.".formatted(utilisation),
          "Maybe write 0.35 for 35 %.");
    }
    if (samples != null && !(samples > 0 && Double.isFinite(samples))) {
      throw new BadInput(
          "The work of %s samples is not a positive number.".formatted(samples),
          "Maybe write it like 115e6.");
    }
  }

  /** Seconds the work takes on a cluster with this peak speed after scaling losses. */
  public double secondsAt(double flops) {
    return flop / (flops * utilisation);
  }

  /** Samples per second on a cluster with this peak speed, or null when samples are not stated. */
  public @Nullable Double samplesPerSecondAt(double flops) {
    return samples == null ? null : samples / secondsAt(flops);
  }
}
