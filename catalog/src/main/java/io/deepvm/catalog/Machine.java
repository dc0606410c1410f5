package io.deepvm.catalog;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import org.jspecify.annotations.Nullable;

/**
 * An instance type of one cloud and what is known of its hardware; what is not known is null.
 *
 * @param family the part of the name that quotas speak of, in lower case ("g", "standard", "a2")
 * @param vcpus virtual CPUs; a fraction on shared-core types
 * @param gpus null on machines without a GPU
 * @param network the baseline, not the "up to" burst
 * @param deviceCopy measured copy rate between one GPU and host memory, the slower direction
 * @param statedFlops a speed that the catalog states itself, in a unit of its own, which then
 *     stands for every precision
 * @param speedup the measured scaling curve, when the catalog carries one
 */
public record Machine(
    String cloud,
    String name,
    String family,
    double vcpus,
    @Nullable DataSize memory,
    @Nullable Gpus gpus,
    @Nullable Bandwidth network,
    @Nullable Bandwidth deviceCopy,
    @Nullable Double statedFlops,
    @Nullable SpeedupCurve speedup) {

  /** Whether it can train: it has a GPU, or the catalog states a training speed. */
  public boolean trains() {
    return gpus != null || statedFlops != null;
  }

  /** Returns the dense peak of all its GPUs together, or null when unknown. */
  public @Nullable Double flops(Precision precision) {
    if (statedFlops != null) {
      return statedFlops;
    }
    if (gpus == null) {
      return null;
    }
    Double each = gpus.model().flops(precision);
    return each == null ? null : each * gpus.count();
  }
}
