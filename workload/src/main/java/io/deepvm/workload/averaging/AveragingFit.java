package io.deepvm.workload.averaging;

import io.deepvm.units.BadInput;
import java.util.List;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.MatrixUtils;
import org.hipparchus.linear.RealMatrix;
import org.hipparchus.linear.RealVector;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresBuilder;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LevenbergMarquardtOptimizer;
import org.hipparchus.optim.nonlinear.vector.leastsquares.MultivariateJacobianFunction;
import org.hipparchus.util.Pair;

/** Fits the seven measured coefficients to runs by robust least squares of relative errors. */
public final class AveragingFit {

  /** Errors far above this count by their size, no longer by its square. */
  private static final double USUAL_ERROR = 0.02;

  /** A coefficient e times its start counts as one run that is off by a third of the usual. */
  private static final double PULL = 0.3;

  private static final double STEP = 1e-5;
  private static final int MOST_EVALUATIONS = 2000;

  private AveragingFit() {}

  /** Returns the coefficients that fit best; what the runs cannot decide stays near the start. */
  public static Coefficients fit(List<Observation> runs, Coefficients start) {
    int unknowns = start.fitted().length;
    if (runs.size() <= unknowns) {
      throw new BadInput(
          "%d runs cannot decide %d coefficients.".formatted(runs.size(), unknowns),
          "Maybe measure at least %d.".formatted(2 * unknowns));
    }
    MultivariateJacobianFunction errors =
        logs -> {
          RealVector at = residuals(runs, start, logs.toArray());
          RealMatrix slopes = MatrixUtils.createRealMatrix(runs.size() + unknowns, unknowns);
          for (int i = 0; i < unknowns; i++) {
            double[] beside = logs.toArray();
            beside[i] += STEP;
            slopes.setColumnVector(i, residuals(runs, start, beside).subtract(at).mapDivide(STEP));
          }
          return new Pair<>(at, slopes);
        };
    // In logarithms no coefficient can turn negative, and all steps are relative.
    RealVector best =
        new LevenbergMarquardtOptimizer()
            .optimize(
                new LeastSquaresBuilder()
                    .start(new double[unknowns])
                    .model(errors)
                    .target(new double[runs.size() + unknowns])
                    .lazyEvaluation(false)
                    .maxEvaluations(MOST_EVALUATIONS)
                    .maxIterations(MOST_EVALUATIONS)
                    .build())
            .getPoint();
    return scaled(start, best.toArray());
  }

  private static Coefficients scaled(Coefficients start, double[] logs) {
    double[] values = start.fitted();
    for (int i = 0; i < values.length; i++) {
      values[i] *= Math.exp(logs[i]);
    }
    return start.withFitted(values);
  }

  private static RealVector residuals(List<Observation> runs, Coefficients start, double[] logs) {
    Coefficients constants = scaled(start, logs);
    RealVector residuals = new ArrayRealVector(runs.size() + logs.length);
    for (int i = 0; i < runs.size(); i++) {
      residuals.setEntry(i, soften(Math.log1p(runs.get(i).error(constants))));
    }
    for (int i = 0; i < logs.length; i++) {
      residuals.setEntry(runs.size() + i, PULL * logs[i]);
    }
    return residuals;
  }

  /** The root of the soft L1 loss, so that plain least squares minimise that loss. */
  private static double soften(double error) {
    double scaled = error / USUAL_ERROR;
    return scaled * Math.sqrt(2 / (1 + Math.sqrt(1 + scaled * scaled)));
  }
}
