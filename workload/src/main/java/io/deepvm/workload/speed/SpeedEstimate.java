package io.deepvm.workload.speed;

import io.deepvm.catalog.speed.MeasuredSpeed;
import java.util.List;

/**
 * How fast one GPU trains a model.
 *
 * @param low with {@code high}, the interval that holds the true speed in 8 of 10 cases
 * @param rows the measurements it stands on, the nearest first; empty for {@link SpeedBasis#FLOPS}
 */
public record SpeedEstimate(
    double samplesPerSecond, double low, double high, SpeedBasis basis, List<MeasuredSpeed> rows) {

  /** Standard deviations that hold 8 of 10 cases. */
  static final double EIGHT_OF_TEN = 1.28;

  public SpeedEstimate {
    rows = List.copyOf(rows);
  }

  /**
   * Returns what follows for another number of GPUs.
   *
   * @param spread standard deviation of the logarithm of the factor
   */
  public SpeedEstimate scaled(double factor, double spread) {
    double below = Math.hypot(Math.log(samplesPerSecond / low), EIGHT_OF_TEN * spread);
    double above = Math.hypot(Math.log(high / samplesPerSecond), EIGHT_OF_TEN * spread);
    double speed = samplesPerSecond * factor;
    return new SpeedEstimate(
        speed,
        speed * Math.exp(-below),
        speed * Math.exp(above),
        basis == SpeedBasis.MEASURED ? SpeedBasis.RELATIVE : basis,
        rows);
  }

  /** Returns the estimate, multiplied by a factor. */
  public SpeedEstimate times(double factor) {
    return new SpeedEstimate(samplesPerSecond * factor, low * factor, high * factor, basis, rows);
  }
}
