package io.deepvm.workload.parallel;

/**
 * How a step's samples are split.
 *
 * @param microBatch samples that one replica takes at once
 * @param accumulation micro-batches of one replica between two exchanges
 * @param replicas groups of GPUs that each hold one whole model together
 */
public record Batching(int microBatch, int accumulation, int replicas) {

  /** Returns the samples of one step of all replicas. */
  public long samples() {
    return (long) microBatch * accumulation * replicas;
  }
}
