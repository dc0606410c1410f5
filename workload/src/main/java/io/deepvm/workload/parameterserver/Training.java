package io.deepvm.workload.parameterserver;

/**
 * A training to its goal on a cluster.
 *
 * @param iterations normalised iterations: one trains one weighted average batch
 */
public record Training(ClusterSpeed speed, double iterations) {

  /** The seconds of training: equation 1. */
  public double seconds() {
    return iterations * speed.iterationSeconds();
  }

  /** The samples after which to stop. */
  public double samples() {
    return iterations * speed.batch();
  }
}
