package io.deepvm.workload;

import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job trained asynchronously over parameter servers.
 *
 * @param lossFit the loss curve with its uncertainty, where the job brings its measurements
 * @param targetLoss how far to train; null where it is not stated
 * @param underway how far it has come; null at the start
 */
public record AsynchronousTraining(
    ParameterServerProfile profile,
    @Nullable LossFit lossFit,
    @Nullable Double targetLoss,
    @Nullable Underway underway) {

  /** A training that has not begun. */
  public AsynchronousTraining(
      ParameterServerProfile profile, @Nullable LossFit lossFit, @Nullable Double targetLoss) {
    this(profile, lossFit, targetLoss, null);
  }

  /** Returns the same with another target. */
  public AsynchronousTraining to(double loss) {
    return new AsynchronousTraining(profile, lossFit, loss, underway);
  }

  /** Returns the same, come so far. */
  public AsynchronousTraining from(Underway state) {
    return new AsynchronousTraining(profile, lossFit, targetLoss, state);
  }

  /** Returns the way from where the training stands to the loss. */
  public LossGoal goal(double target) {
    return new LossGoal(target, underway == null ? null : underway.loss());
  }

  /** Returns the nodes that train already, by instance type. */
  public Map<String, Integer> running() {
    return underway == null ? Map.of() : underway.running();
  }
}
