package io.deepvm.workload;

import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.parallel.TrainingSetup;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of a job, by the performance model that needs it; null where it was not.
 *
 * @param batch samples that one GPU takes in a step
 * @param training how it trains on several GPUs
 * @param speeds what the job says of its speed on one machine
 */
public record Profiles(
    @Nullable ModelSize model,
    @Nullable Integer batch,
    @Nullable AveragingProfile averaging,
    @Nullable AsynchronousTraining parameterServer,
    TrainingSetup training,
    KnownSpeeds speeds) {

  /** Nothing was measured. */
  public static final Profiles NONE =
      new Profiles(null, null, null, null, TrainingSetup.USUAL, KnownSpeeds.NONE);

  /** Returns the same with another description of asynchronous training. */
  public Profiles with(AsynchronousTraining other) {
    return new Profiles(model, batch, averaging, other, training, speeds);
  }

  /** Returns the same with another way to train on several GPUs. */
  public Profiles with(TrainingSetup other) {
    return new Profiles(model, batch, averaging, parameterServer, other, speeds);
  }
}
