package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;

/**
 * How likely the servers' bandwidth is the bottleneck, by the number of workers: equation 9, kept
 * between 0 and 1.
 *
 * @param alpha growth with the square root of the number of workers
 * @param beta what is added; usually negative
 * @param overPrediction the share by which the probability is raised to be on the safe side
 */
public record Contention(double alpha, double beta, double overPrediction) {

  public Contention {
    if (!Double.isFinite(alpha) || !Double.isFinite(beta) || !(overPrediction >= 0)) {
      throw new BadInput(
          "The contention (alpha=%s, beta=%s, overPrediction=%s) is not usable."
              .formatted(alpha, beta, overPrediction),
          "Maybe fit it again: alpha and beta are numbers, overPrediction is at least 0.");
    }
  }

  /** Contention as fitted, not raised. */
  public static Contention of(double alpha, double beta) {
    return new Contention(alpha, beta, 0);
  }

  /** The probability that the servers' bandwidth limits this many workers. */
  public double probability(int workers) {
    double raw = (alpha * Math.sqrt(workers) + beta) * (1 + overPrediction);
    return Math.max(0, Math.min(1, raw));
  }

  /**
   * The most workers below certain contention, equation 15; without growth there is no such number.
   */
  public int mostWorkers() {
    if (beta >= 1) {
      return 1;
    }
    if (alpha <= 0) {
      return Integer.MAX_VALUE;
    }
    double root = (1 - beta) / alpha;
    // The quotient of decimals may fall a rounding short of a whole number.
    return (int) Math.min(Integer.MAX_VALUE, Math.floor(root * root * (1 + 1e-12)));
  }
}
