package io.deepvm.workload.profile;

import org.jspecify.annotations.Nullable;

/**
 * A speed that a log states.
 *
 * @param format in which it was reported
 * @param perSecond of the unit
 * @param seconds over which it was measured; 0 where the log states the speed itself
 */
public record SpeedReading(
    String format, double perSecond, ProgressCount.Unit unit, double seconds) {

  /** Returns samples per second; null when steps are counted and their samples are not known. */
  public @Nullable Double samplesPerSecond(@Nullable Double samplesPerStep) {
    return switch (unit) {
      case SAMPLES -> Double.valueOf(perSecond);
      case STEPS -> samplesPerStep == null ? null : Double.valueOf(perSecond * samplesPerStep);
      case EPOCHS -> null;
    };
  }

  /** Returns a reading of epochs as one of samples. */
  SpeedReading times(double samplesPerEpoch) {
    return new SpeedReading(
        format, perSecond * samplesPerEpoch, ProgressCount.Unit.SAMPLES, seconds);
  }
}
