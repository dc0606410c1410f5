package io.deepvm.workload.parallel;

import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/**
 * How many samples a step may take.
 *
 * @param perGpu samples that one GPU takes at once where memory allows
 * @param most samples of one step of the whole cluster up to which training converges as well; null
 *     when not stated, and gradients are then exchanged after each batch
 * @param inputSamplesPerSecond that one node's input pipeline delivers; infinite when it always
 *     keeps up
 */
public record BatchRule(int perGpu, @Nullable Integer most, double inputSamplesPerSecond) {

  /** A rule whose input pipeline always keeps up. */
  public BatchRule(int perGpu, @Nullable Integer most) {
    this(perGpu, most, Double.POSITIVE_INFINITY);
  }

  public BatchRule {
    if (perGpu < 1 || (most != null && most < 1)) {
      throw new BadInput(
          "A batch of %d samples a GPU and of %s samples in all cannot be trained."
              .formatted(perGpu, most),
          "Maybe write batch: 32.");
    }
    if (!(inputSamplesPerSecond > 0)) {
      throw new BadInput(
          "An input of %s samples/s is not a positive number.".formatted(inputSamplesPerSecond),
          "Maybe leave it out.");
    }
  }

  /** Returns the rule of steps in which each GPU takes its usual batch once. */
  BatchRule ofUsualBatch() {
    return new BatchRule(perGpu, null, inputSamplesPerSecond);
  }

  /**
   * Returns how replicas of several GPUs batch, or null where there are more replicas than samples.
   */
  @Nullable Batching of(int replicas, int gpusPerReplica, int microBatch) {
    long each = most == null ? (long) perGpu * gpusPerReplica : most / replicas;
    int micro = (int) Math.min(microBatch, each);
    return micro < 1 ? null : new Batching(micro, (int) (each / micro), replicas);
  }
}
