package io.deepvm.workload;

import io.deepvm.workload.averaging.AveragingProfile;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of a job, by the performance model that needs it; null where it was not.
 *
 * @param batch samples that one GPU takes in a step
 */
public record Profiles(
    @Nullable ModelSize model,
    @Nullable Integer batch,
    @Nullable AveragingProfile averaging,
    @Nullable AsynchronousTraining parameterServer) {

  /** Nothing was measured. */
  public static final Profiles NONE = new Profiles(null, null, null, null);

  /** Returns the same with another description of asynchronous training. */
  public Profiles with(AsynchronousTraining other) {
    return new Profiles(model, batch, averaging, other);
  }
}
