package io.deepvm.simulator;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.SaveRule;

/**
 * How checkpoints are made and what they cost.
 *
 * @param size of one checkpoint
 * @param kept whether a checkpoint outlives all spot nodes: on an anchor, or in an object store
 * @param stallSeconds for which training stands still per checkpoint
 * @param shipSeconds from then until it is out of reach of a revocation
 * @param restoreSeconds from a kept checkpoint to members that can train
 * @param justInTime whether one is made inside a revocation's notice when it fits
 * @param storage whether keeping it is billed by the month
 * @param rule when checkpoints are made
 */
public record Checkpointing(
    DataSize size,
    boolean kept,
    double stallSeconds,
    double shipSeconds,
    double restoreSeconds,
    boolean justInTime,
    boolean storage,
    SaveRule rule) {

  /** A simulation counts whole milliseconds, so no save costs less. */
  private static final double LEAST_STALL_SECONDS = 0.001;

  /** No checkpoints: what survives is what the surviving members hold in memory. */
  public static Checkpointing none(DataSize state) {
    return new Checkpointing(state, false, 0, 0, 0, false, false, new SaveRule.Never());
  }

  /** Whether every step outlives all spot nodes at once. */
  public boolean keepsEveryStep() {
    return kept && rule instanceof SaveRule.EveryStep;
  }

  /**
   * Returns the seconds of training between two checkpoints; infinite if there are none.
   *
   * @param losses that undid work so far
   * @param trainedSeconds in which they happened
   */
  public double intervalSeconds(double losses, double trainedSeconds) {
    return kept && !keepsEveryStep()
        ? rule.seconds(
            new SaveRule.Cost(Math.max(LEAST_STALL_SECONDS, stallSeconds), shipSeconds),
            losses,
            trainedSeconds)
        : Double.POSITIVE_INFINITY;
  }

  /** Returns the same with checkpoints by another rule. */
  public Checkpointing by(SaveRule other) {
    return new Checkpointing(
        size, kept, stallSeconds, shipSeconds, restoreSeconds, justInTime, storage, other);
  }
}
