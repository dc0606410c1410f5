package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.workload.fit.FittedCurve;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.parameterserver.LossCurve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.EigenDecompositionSymmetric;
import org.jspecify.annotations.Nullable;

/**
 * How likely a plan meets its deadline, the loss curve being known only as well as its fit. Curves
 * are drawn once from the normal distribution of the fitted parameters, by Monte Carlo with a
 * stated seed, and every plan is tried on the same draws. A draw that never reaches the target
 * counts as late.
 */
public final class DeadlineRisk {

  /** Draws that keep the standard error of a probability near 0.95 below half a percent. */
  public static final int DRAWS = 4000;

  private static final int BISECTIONS = 20;

  private final FittedCurve fit;
  private final List<@Nullable LossCurve> draws = new ArrayList<>();

  /** Draws the curves. */
  public DeadlineRisk(LossFit fitted, long seed) {
    fit = fitted.fit();
    double[] centre = fit.values();
    double[] error = new double[centre.length];
    double[][] correlation = new double[centre.length][centre.length];
    for (int i = 0; i < error.length; i++) {
      error[i] = Math.sqrt(fit.covariance()[i][i]);
    }
    for (int i = 0; i < error.length; i++) {
      for (int j = 0; j < error.length; j++) {
        double both = error[i] * error[j];
        correlation[i][j] = both == 0 ? 0 : fit.covariance()[i][j] / both;
      }
    }
    EigenDecompositionSymmetric eigen =
        new EigenDecompositionSymmetric(new Array2DRowRealMatrix(correlation));
    Random random = new Random(seed);
    boolean coefficient = fitted.curve().gamma4() != null;
    for (int draw = 0; draw < DRAWS; draw++) {
      double[] gamma = centre.clone();
      for (int k = 0; k < gamma.length; k++) {
        double along = random.nextGaussian() * Math.sqrt(Math.max(0, eigen.getEigenvalue(k)));
        for (int i = 0; i < gamma.length; i++) {
          gamma[i] += along * error[i] * eigen.getEigenvector(k).getEntry(i);
        }
      }
      boolean usable = gamma[0] >= 0 && (!coefficient || gamma[4] > 0);
      draws.add(
          usable
              ? new LossCurve(
                  gamma[0],
                  gamma[1],
                  gamma[2],
                  gamma[3],
                  coefficient ? Double.valueOf(gamma[4]) : null)
              : null);
    }
  }

  /**
   * What is known of a plan's chances.
   *
   * @param probability of reaching the loss by the deadline
   * @param beyond how many times the plan's iterations are those the curve was fitted on; 1 within
   */
  public record Risk(double probability, double beyond) {}

  /** Returns the plan's chances. */
  public Risk of(ProvisionRequest request, Provision plan) {
    double[] seconds = seconds(request, plan);
    double allowed = request.deadlineSeconds() * (1 + Fleet.ROUNDING);
    long met = Arrays.stream(seconds).filter(each -> each <= allowed).count();
    return new Risk(
        (double) met / seconds.length, fit.ranges().get(0).beyond(plan.training().iterations()));
  }

  /** The seconds within which the plan is done with this probability; infinite when never. */
  public double secondsAt(double confidence, ProvisionRequest request, Provision plan) {
    requireConfidence(confidence);
    double[] seconds = seconds(request, plan);
    Arrays.sort(seconds);
    return seconds[Math.min(seconds.length - 1, (int) Math.ceil(confidence * seconds.length))];
  }

  /**
   * Returns the cheapest plan known to meet the deadline with this probability: the cheapest for
   * the latest deadline of which the plan still does, found by bisection. It may not be the very
   * cheapest where clusters of unlike batch or size differ in risk. Null when even the fastest
   * cluster is not that likely to be in time.
   */
  public @Nullable Provision plan(ProvisionRequest request, double confidence) {
    requireConfidence(confidence);
    ExactSearch search = new ExactSearch();
    Provision best = search.search(request).best();
    if (best == null || meets(request, best, confidence)) {
      return best;
    }
    Provision fastest = Fastest.of(request);
    if (fastest == null || !meets(request, fastest, confidence)) {
      return null;
    }
    Provision found = fastest;
    double tight = fastest.seconds();
    double loose = request.deadlineSeconds();
    for (int step = 0; step < BISECTIONS; step++) {
      double middle = (tight + loose) / 2;
      Provision tried = search.search(request.withDeadline(middle)).best();
      if (tried != null && meets(request, tried, confidence)) {
        tight = middle;
        found = tried.dollars() < found.dollars() ? tried : found;
      } else {
        loose = middle;
      }
    }
    return found;
  }

  private boolean meets(ProvisionRequest request, Provision plan, double confidence) {
    return of(request, plan).probability() >= confidence;
  }

  private static void requireConfidence(double confidence) {
    if (!(confidence > 0 && confidence < 1)) {
      throw new BadInput(
          "The confidence %s is not between 0 and 1.".formatted(confidence),
          "Maybe write 0.95 for 95 %.");
    }
  }

  private double[] seconds(ProvisionRequest request, Provision plan) {
    double besides = plan.seconds() - plan.training().seconds();
    double batch = plan.training().speed().batch();
    return draws.stream()
        .mapToDouble(
            curve ->
                curve == null
                        || !curve.reaches(request.goal().target())
                        || !(curve.amplitude(batch) > 0)
                    ? Double.POSITIVE_INFINITY
                    : request.goal().iterations(curve, plan.training().speed())
                            * plan.training().speed().iterationSeconds()
                        + besides)
        .toArray();
  }
}
