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

  public SpeedEstimate {
    rows = List.copyOf(rows);
  }

  /** Returns the estimate, multiplied by a factor. */
  public SpeedEstimate times(double factor) {
    return new SpeedEstimate(samplesPerSecond * factor, low * factor, high * factor, basis, rows);
  }
}
