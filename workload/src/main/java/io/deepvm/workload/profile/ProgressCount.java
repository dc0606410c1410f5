package io.deepvm.workload.profile;

/**
 * How far a line says that training is.
 *
 * @param series lines of one series count the same; a progress bar for validation is another one
 * @param value since the start, or since the start of an epoch
 */
public record ProgressCount(String series, double value, Unit unit) {

  /** What is counted. */
  public enum Unit {
    STEPS,
    SAMPLES,
    EPOCHS
  }
}
