package io.deepvm.workload;

import io.deepvm.catalog.Precision;
import io.deepvm.units.DataSize;
import org.jspecify.annotations.Nullable;

/**
 * What is trained. Everything that was not stated is null, and the planner then asks or does
 * without.
 *
 * @param gpuMemory what one replica of the model needs on one GPU
 * @param checkpoint the size of one checkpoint: model, optimizer and scheduler state
 */
public record Job(
    String name,
    Precision precision,
    @Nullable DataSize gpuMemory,
    @Nullable DataSize checkpoint,
    @Nullable Work work,
    Scaling scaling,
    Profiles profiles) {

  /** A job of which nothing is known: ranked by hardware alone. */
  public static final Job UNSTATED =
      new Job("unstated", Precision.FP16, null, null, null, Scaling.UNMEASURED, Profiles.NONE);

  /** Returns the same job with another amount of work. */
  public Job withWork(@Nullable Work other) {
    return new Job(name, precision, gpuMemory, checkpoint, other, scaling, profiles);
  }

  /** Returns the same job with this need of GPU memory. */
  public Job withGpuMemory(@Nullable DataSize need) {
    return new Job(name, precision, need, checkpoint, work, scaling, profiles);
  }

  /** Returns the same job on GPUs whose memory is never too small. */
  public Job withoutMemoryLimit() {
    return new Job(
        name,
        precision,
        null,
        checkpoint,
        work,
        scaling,
        profiles.with(profiles.training().withoutMemoryLimit()));
  }
}
