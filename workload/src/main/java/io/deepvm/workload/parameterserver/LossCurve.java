package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/**
 * How the training loss falls with iterations: equation 3. Without gamma4 it is the form that the
 * published results were computed with, in which staleness enters by the number of workers alone.
 *
 * @param gamma1 iterations by which the hyperbola is shifted
 * @param gamma2 change of the amplitude per sample of batch; usually negative
 * @param gamma3 amplitude at batch zero
 * @param floor gamma5, the loss that no amount of training goes below
 * @param gamma4 added to the convergence coefficient; null leaves the coefficient out
 */
public record LossCurve(
    double gamma1, double gamma2, double gamma3, double floor, @Nullable Double gamma4) {

  public LossCurve {
    if (!(Double.isFinite(gamma1)
        && Double.isFinite(gamma2)
        && Double.isFinite(gamma3)
        && Double.isFinite(floor))) {
      throw new BadInput(
          "The loss curve (%s, %s, %s, floor %s) is not made of numbers."
              .formatted(gamma1, gamma2, gamma3, floor),
          "Maybe fit it again.");
    }
    if (gamma4 != null && !(gamma4 > 0 && Double.isFinite(gamma4))) {
      throw new BadInput(
          "gamma4 of the loss curve is %s, which lets one worker converge in no time."
              .formatted(gamma4),
          "Maybe leave it out, or fit it again: it must be above 0.");
    }
  }

  /** The loss after this many normalised iterations. */
  public double loss(double batch, double convergence, int workers, double iterations) {
    return amplitude(batch) * staleness(convergence, workers) / (iterations + gamma1) + floor;
  }

  /** The normalised iterations from the start to the target; 0 when it starts out below it. */
  public double iterationsTo(double target, double batch, double convergence, int workers) {
    return Math.max(0, reach(target) * amplitude(batch) * staleness(convergence, workers) - gamma1);
  }

  /** The normalised iterations from one loss to a lower one; 0 when it is not lower. */
  public double iterationsBetween(
      double from, double to, double batch, double convergence, int workers) {
    return Math.max(
        0, (reach(to) - reach(from)) * amplitude(batch) * staleness(convergence, workers));
  }

  /** What batches contribute to the amplitude; the curve means nothing where it is not positive. */
  public double amplitude(double batch) {
    return gamma2 * batch + gamma3;
  }

  /** What the size and the balance of the cluster contribute to the amplitude. */
  public double staleness(double convergence, int workers) {
    return Math.sqrt((gamma4 == null ? 1 : convergence + gamma4) * workers);
  }

  /** Whether training can get to this loss at all. */
  public boolean reaches(double target) {
    return target > floor;
  }

  /** One over the distance to the floor. */
  public double reach(double target) {
    if (!reaches(target)) {
      throw new BadInput(
          "The target loss %s is not above %s, below which this job never falls."
              .formatted(target, floor),
          "Maybe aim at a loss above %s.".formatted(floor));
    }
    return 1 / (target - floor);
  }

  /** Refuses batches for which the curve would promise to converge backwards. */
  public void requireMeaningful(double batch) {
    if (!(amplitude(batch) > 0)) {
      throw new BadInput(
          "The loss curve has no meaning for a batch of %s samples: its amplitude is %s there."
              .formatted(batch, amplitude(batch)),
          "Maybe the profile is of another job, or the batch is far from those it was fitted on.");
    }
  }
}
