package io.deepvm.planner;

/**
 * What the checkpoint asks of the anchors: memory for the shards, links that do not saturate, and a
 * transfer that ends before the next one begins.
 */
record CheckpointNeeds(
    double checkpointBytes, double slots, AnchorMemory memory, double intervalSeconds) {

  /** The share of a link that checkpoints may take; the rest is left to the gradients. */
  static final double LINK_SHARE = 0.5;

  static final int IMPOSSIBLE = Integer.MAX_VALUE;

  static CheckpointNeeds of(CheckpointGoal goal) {
    return new CheckpointNeeds(
        goal.size().bytes(),
        goal.anchorSlots(),
        goal.anchorMemory(),
        goal.interval().toMillis() / 1e3);
  }

  /** Whether the workers' own links can send a checkpoint within its interval. */
  boolean workersCanSend(int workers, long workerBitsPerSecond) {
    return checkpointBytes <= drainable(workerBitsPerSecond) * workers;
  }

  /** The fewest anchors whose links can take a checkpoint within its interval. */
  int anchorsToDrain(long anchorBitsPerSecond) {
    return atLeast(checkpointBytes / drainable(anchorBitsPerSecond));
  }

  /**
   * The fewest anchors with room for the shards each is sent: one shard per worker, spread evenly,
   * so that the fullest of m anchors holds ceil(n/m) of n shards in each slot.
   */
  int anchorsToHold(int workers, long memoryBytes) {
    if (memory == AnchorMemory.WHOLE) {
      return memoryBytes >= slots * checkpointBytes ? 1 : IMPOSSIBLE;
    }
    double shardsThatFit = Math.floor(memoryBytes * (double) workers / (slots * checkpointBytes));
    return shardsThatFit < 1 ? IMPOSSIBLE : atLeast(workers / shardsThatFit);
  }

  /** Bytes that a link may carry for one checkpoint. */
  private double drainable(long bitsPerSecond) {
    return LINK_SHARE * intervalSeconds * bitsPerSecond / 8.0;
  }

  private static int atLeast(double anchors) {
    double whole = Math.ceil(anchors);
    return whole < IMPOSSIBLE ? Math.max(1, (int) whole) : IMPOSSIBLE;
  }
}
