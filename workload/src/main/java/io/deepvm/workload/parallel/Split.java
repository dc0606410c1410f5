package io.deepvm.workload.parallel;

import java.util.ArrayList;
import java.util.List;

/**
 * One way to train a model on a cluster.
 *
 * @param shards over how many GPUs the sharded state is spread; 1 without sharding
 * @param tensor GPUs of a node that share each layer
 * @param pipeline groups of nodes that each hold some of the layers
 * @param recompute whether activations are computed again in backward instead of kept
 * @param memory of one GPU
 */
public record Split(
    Sharding sharding,
    int shards,
    int tensor,
    int pipeline,
    boolean recompute,
    Batching batching,
    MemoryUse memory,
    double stepSeconds) {

  /** Returns samples per second of the whole cluster. */
  public double samplesPerSecond() {
    return batching.samples() / stepSeconds;
  }

  /** Returns how many GPUs take part. */
  public int gpus() {
    return batching.replicas() * tensor * pipeline;
  }

  /** Returns whether every GPU holds the whole model and keeps all activations. */
  public boolean isPlain() {
    return sharding.stage() == 0 && tensor == 1 && pipeline == 1 && !recompute;
  }

  /** Returns what is split, in words. */
  public String describe() {
    List<String> parts = new ArrayList<>();
    if (sharding.stage() > 0) {
      parts.add(sharding.describe(shards));
    }
    if (tensor > 1) {
      parts.add("tensor parallel over %d GPUs of a node".formatted(tensor));
    }
    if (pipeline > 1) {
      parts.add("%d pipeline stages".formatted(pipeline));
    }
    if (recompute) {
      parts.add("activations recomputed");
    }
    return parts.isEmpty() ? "every GPU holds the whole model" : String.join(", ", parts);
  }
}
