package io.deepvm.simulator.gang;

import io.deepvm.base.BadInput;

/**
 * What the gang is to do.
 *
 * @param workSeconds time at full speed
 * @param deadlineSeconds from the start
 * @param restartSeconds after each launch, before work goes on
 * @param checkpointGb what is carried to another region
 */
public record GangJob(
    double workSeconds, double deadlineSeconds, double restartSeconds, double checkpointGb) {

  /** Work of this many seconds counts as none: sums of real numbers do not end at 0 exactly. */
  public static final double NOTHING_SECONDS = 1e-3;

  public GangJob {
    if (!(workSeconds > 0) || !(deadlineSeconds > 0) || Double.isInfinite(deadlineSeconds)) {
      throw new BadInput(
          "Work of %s s by a deadline of %s s cannot be simulated."
              .formatted(workSeconds, deadlineSeconds),
          "Maybe give both in seconds above 0.");
    }
    if (!(restartSeconds >= 0) || !(checkpointGb >= 0)) {
      throw new BadInput(
          "A restart of %s s with a checkpoint of %s GB cannot be."
              .formatted(restartSeconds, checkpointGb),
          "Maybe give numbers of at least 0.");
    }
  }

  /** Returns how many whole ticks there are until the deadline. */
  public int ticks(double tickSeconds) {
    double ticks = Math.floor(deadlineSeconds / tickSeconds + 1e-9);
    if (ticks > 10_000_000) {
      throw new BadInput(
          "The deadline (%s s) is %s ticks away.".formatted(deadlineSeconds, ticks),
          "Maybe choose longer ticks.");
    }
    return (int) ticks;
  }
}
