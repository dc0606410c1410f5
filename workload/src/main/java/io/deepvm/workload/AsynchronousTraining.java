package io.deepvm.workload;

import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import org.jspecify.annotations.Nullable;

/**
 * A job trained asynchronously over parameter servers.
 *
 * @param lossFit the loss curve with its uncertainty, where the job brings its measurements
 * @param targetLoss how far to train; null where it is not stated
 */
public record AsynchronousTraining(
    ParameterServerProfile profile, @Nullable LossFit lossFit, @Nullable Double targetLoss) {

  /** Returns the same with another target. */
  public AsynchronousTraining to(double loss) {
    return new AsynchronousTraining(profile, lossFit, loss);
  }
}
