package io.deepvm.workload.parameterserver;

import org.jspecify.annotations.Nullable;

/**
 * How far to train.
 *
 * @param current the loss reached so far; null at the start of training
 */
public record LossGoal(double target, @Nullable Double current) {

  /** From the start of training to this loss. */
  public static LossGoal fromStart(double target) {
    return new LossGoal(target, null);
  }

  /** The normalised iterations that a cluster needs. */
  public double iterations(LossCurve curve, ClusterSpeed cluster) {
    return current == null
        ? curve.iterationsTo(target, cluster.batch(), cluster.convergence(), cluster.workers())
        : curve.iterationsBetween(
            current, target, cluster.batch(), cluster.convergence(), cluster.workers());
  }
}
