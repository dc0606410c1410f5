package io.deepvm.workload;

import io.deepvm.base.DataSize;
import io.deepvm.catalog.Precision;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is trained. Everything that was not stated is null, and the planner then asks or does
 * without.
 *
 * @param gpuMemory what one replica of the model needs on one GPU
 * @param checkpoint the size of one checkpoint: model, optimizer and scheduler state
 * @param files what every node loads before it trains
 */
public record Job(
    String name,
    Precision precision,
    @Nullable DataSize gpuMemory,
    @Nullable DataSize checkpoint,
    @Nullable Work work,
    Scaling scaling,
    Profiles profiles,
    NodeFiles files) {

  /** A job whose nodes load nothing before they train. */
  public Job(
      String name,
      Precision precision,
      @Nullable DataSize gpuMemory,
      @Nullable DataSize checkpoint,
      @Nullable Work work,
      Scaling scaling,
      Profiles profiles) {
    this(name, precision, gpuMemory, checkpoint, work, scaling, profiles, NodeFiles.NONE);
  }

  /** A job without any facts: it is ranked by hardware alone. */
  public static final Job UNSTATED =
      new Job("unstated", Precision.FP16, null, null, null, Scaling.UNMEASURED, Profiles.NONE);

  /**
   * Returns the samples per second that were measured of the job itself, by instance type (the
   * whole machine) or by GPU name (one GPU). They win over all other speeds in every architecture.
   */
  public Map<String, Double> measuredSpeeds() {
    Map<String, Double> measured = new TreeMap<>();
    if (profiles.averaging() != null) {
      measured.putAll(profiles.averaging().samplesPerSecond());
    }
    measured.putAll(profiles.speeds().samplesPerSecond());
    return measured;
  }

  /** Returns the same job with another amount of work. */
  public Job withWork(@Nullable Work other) {
    return new Job(name, precision, gpuMemory, checkpoint, other, scaling, profiles, files);
  }

  /** Returns the same job with this need of GPU memory. */
  public Job withGpuMemory(@Nullable DataSize need) {
    return new Job(name, precision, need, checkpoint, work, scaling, profiles, files);
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
        profiles.with(profiles.training().withoutMemoryLimit()),
        files);
  }
}
