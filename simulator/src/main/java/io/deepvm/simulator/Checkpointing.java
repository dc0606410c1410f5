package io.deepvm.simulator;

import io.deepvm.units.DataSize;

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
 */
public record Checkpointing(
    DataSize size,
    boolean kept,
    double stallSeconds,
    double shipSeconds,
    double restoreSeconds,
    boolean justInTime,
    boolean storage,
    Interval interval) {

  /** No checkpoints: what survives is what the surviving members hold in memory. */
  public static Checkpointing none(DataSize state) {
    return new Checkpointing(state, false, 0, 0, 0, false, false, new Interval.Never());
  }

  /** Returns the same with another interval. */
  public Checkpointing every(Interval other) {
    return new Checkpointing(
        size, kept, stallSeconds, shipSeconds, restoreSeconds, justInTime, storage, other);
  }
}
