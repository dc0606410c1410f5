package io.deepvm.planner;

import io.deepvm.base.DataSize;
import io.deepvm.base.Durations;
import java.time.Duration;

/**
 * How the checkpoints are kept.
 *
 * @param size of one checkpoint
 * @param anchorSlots how many checkpoints an anchor keeps in memory at a time
 * @param anchorMemory how much of a checkpoint each slot holds
 * @param interval within which one checkpoint must have reached the anchors
 */
public record CheckpointGoal(
    DataSize size, double anchorSlots, AnchorMemory anchorMemory, Duration interval) {

  /** The usual size of a checkpoint that nothing is known of: the paper's. */
  public static final DataSize USUAL_SIZE = DataSize.ofGb(0.5);

  /** The paper's checkpoints: 500 MB, kept twice, every ten minutes. */
  public static final CheckpointGoal USUAL =
      new CheckpointGoal(USUAL_SIZE, 2, AnchorMemory.SHARE, Duration.ofMinutes(10));

  public CheckpointGoal {
    Goal.require(size.bytes() > 0, "checkpoint size", size, "above 0");
    Goal.require(
        anchorSlots > 0 && anchorSlots <= 1e6,
        "number of anchor slots",
        anchorSlots,
        "above 0 and at most 1,000,000");
    Goal.require(
        !interval.isNegative() && !interval.isZero(),
        "checkpoint interval",
        Durations.print(interval),
        "above 0");
  }

  /** Returns the same with checkpoints of this size. */
  public CheckpointGoal withSize(DataSize other) {
    return new CheckpointGoal(other, anchorSlots, anchorMemory, interval);
  }

  /** Returns the same with this rule for the anchors' memory. */
  public CheckpointGoal withAnchorMemory(AnchorMemory other) {
    return new CheckpointGoal(size, anchorSlots, other, interval);
  }
}
