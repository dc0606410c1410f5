package io.deepvm.workload;

import io.deepvm.workload.averaging.AveragingProfile;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of a job, by the performance model that needs it; null where it was not.
 *
 * @param batch samples that one GPU takes in a step
 */
public record Profiles(
    @Nullable ModelSize model, @Nullable Integer batch, @Nullable AveragingProfile averaging) {

  /** Nothing was measured. */
  public static final Profiles NONE = new Profiles(null, null, null);
}
