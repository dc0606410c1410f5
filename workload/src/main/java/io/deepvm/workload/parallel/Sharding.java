package io.deepvm.workload.parallel;

import java.util.List;

/**
 * What of a model's state is spread over the GPUs that train on different samples, by ZeRO's
 * stages.
 *
 * @param stage 0 nothing, 1 the optimizer's state, 2 gradients too, 3 weights too
 * @param insideNode whether each node holds all of it, so that only its own GPUs gather
 */
public record Sharding(int stage, boolean insideNode) {

  /** Every GPU holds everything. */
  public static final Sharding NONE = new Sharding(0, false);

  /** Every way, the simplest first. */
  static final List<Sharding> ALL =
      List.of(
          NONE,
          new Sharding(1, false),
          new Sharding(2, false),
          new Sharding(2, true),
          new Sharding(3, true),
          new Sharding(3, false));

  /** Returns over how many GPUs the state of these replicas is spread. */
  int degree(int replicas, int replicasPerNode) {
    return stage == 0 ? 1 : insideNode ? replicasPerNode : replicas;
  }

  /** Returns the name in words. */
  String describe(int degree) {
    return "%s over %d GPUs%s"
        .formatted(
            stage == 3 ? "ZeRO-3 (FSDP)" : "ZeRO-" + stage,
            degree,
            insideNode ? " of each node" : "");
  }
}
