package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.workload.fit.Parameter;
import java.util.ArrayList;
import java.util.List;
import org.hipparchus.exception.MathIllegalStateException;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.MatrixUtils;
import org.hipparchus.linear.RealMatrix;
import org.hipparchus.linear.RealVector;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresBuilder;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresOptimizer.Optimum;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LevenbergMarquardtOptimizer;
import org.hipparchus.optim.nonlinear.vector.leastsquares.MultivariateJacobianFunction;
import org.hipparchus.util.Pair;

/** Fits the seven measured coefficients to runs by robust least squares of relative errors. */
public final class AveragingFit {

  /** Errors far above this count by their size, no longer by its square. */
  private static final double USUAL_ERROR = 0.02;

  /** A coefficient e times its start counts as one run that is off by a third of the usual. */
  private static final double PULL = 0.3;

  /** No run is measured better than to a thousandth, however well all of them agree. */
  private static final double LEAST_ERROR = 0.001;

  private static final int SMALL_HOST = Coefficients.FITTED.indexOf("smallHost");
  private static final double STEP = 1e-5;
  private static final int MOST_EVALUATIONS = 2000;

  private AveragingFit() {}

  /** Returns the coefficients that fit best; what the runs cannot decide stays near the start. */
  public static Coefficients fit(List<Observation> runs, Coefficients start) {
    return scaled(start, optimum(runs, start).getPoint().toArray());
  }

  /** Returns the same with its errors and with what the runs cannot decide. */
  public static FittedCoefficients explain(List<Observation> runs, Coefficients start) {
    Optimum optimum = optimum(runs, start);
    Coefficients found = scaled(start, optimum.getPoint().toArray());
    double[] values = found.fitted();
    RealMatrix covariance = covariance(optimum, runs.size());
    List<Parameter> parameters = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      boolean held =
          i == SMALL_HOST && optimum.getPoint().getEntry(i) < -Math.log(start.smallHost());
      double spread = Math.sqrt(covariance.getEntry(i, i));
      // As wide as the pull to the start alone would leave it: the runs add nothing.
      boolean untold = spread * PULL > 0.9;
      double error = untold ? Double.POSITIVE_INFINITY : values[i] * spread;
      parameters.add(new Parameter(Coefficients.FITTED.get(i), values[i], held ? 0 : error));
    }
    return FittedCoefficients.of(
        found, parameters, covariance.getData(), scatter(found, runs), runs);
  }

  private static Optimum optimum(List<Observation> runs, Coefficients start) {
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
    try {
      return new LevenbergMarquardtOptimizer()
          .optimize(
              new LeastSquaresBuilder()
                  .start(new double[unknowns])
                  .model(errors)
                  .target(new double[runs.size() + unknowns])
                  .lazyEvaluation(false)
                  .maxEvaluations(MOST_EVALUATIONS)
                  .maxIterations(MOST_EVALUATIONS)
                  .build());
    } catch (MathIllegalStateException e) {
      throw new BadInput(
          "No coefficients come near the %d runs.".formatted(runs.size()),
          "Maybe a measured speed is in another unit than the speeds of the peers.");
    }
  }

  /** How far the logarithms of measured speeds lie from the model, large errors in full. */
  private static double scatter(Coefficients found, List<Observation> runs) {
    double squares = 0;
    for (Observation run : runs) {
      double error = Math.log1p(run.error(found));
      squares += error * error;
    }
    return Math.max(Math.sqrt(squares / (runs.size() - found.fitted().length)), LEAST_ERROR);
  }

  /** Covariance of the logarithms: the runs scatter as they do, the pull is as stated. */
  private static RealMatrix covariance(Optimum optimum, int runs) {
    RealVector residuals = optimum.getResiduals().getSubVector(0, runs);
    int unknowns = optimum.getPoint().getDimension();
    double scatter =
        Math.max(residuals.getNorm() / Math.sqrt(runs - unknowns), LEAST_ERROR / USUAL_ERROR);
    RealMatrix slopes =
        optimum
            .getJacobian()
            .getSubMatrix(0, runs - 1, 0, unknowns - 1)
            .scalarMultiply(1 / scatter);
    RealMatrix known =
        slopes
            .transposeMultiply(slopes)
            .add(MatrixUtils.createRealIdentityMatrix(unknowns).scalarMultiply(PULL * PULL));
    return MatrixUtils.inverse(known);
  }

  private static Coefficients scaled(Coefficients start, double[] logs) {
    double[] values = start.fitted();
    for (int i = 0; i < values.length; i++) {
      values[i] *= Math.exp(logs[i]);
    }
    values[SMALL_HOST] = Math.max(values[SMALL_HOST], 1);
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
