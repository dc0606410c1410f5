package io.deepvm.workload.fit;

import io.deepvm.base.BadInput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.hipparchus.exception.MathIllegalStateException;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.RealMatrix;
import org.hipparchus.linear.RealVector;
import org.hipparchus.linear.SingularValueDecomposition;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresBuilder;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresProblem;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LevenbergMarquardtOptimizer;
import org.hipparchus.util.Pair;

/** Least squares for any family of curves, from a good start, with errors of the parameters. */
final class Regression {

  private static final int MOST_STEPS = 2000;
  private static final double STEP = 1e-6;

  /** Below this share of the largest, a direction in the parameters leaves no trace in the data. */
  private static final double NO_TRACE = 1e-9;

  private final Curve curve;
  private final List<String> names;
  private final List<String> inputs;
  private final List<CurvePoint> observations;
  private final double[] least;

  /**
   * @param least lower bounds of the parameters
   */
  Regression(
      Curve curve,
      List<String> names,
      List<String> inputs,
      List<CurvePoint> observations,
      double[] least) {
    this.curve = curve;
    this.names = names;
    this.inputs = inputs;
    this.observations = observations;
    this.least = least;
  }

  /** Returns the best curve near the start; parameters marked fixed stay there. */
  FittedCurve from(double[] start, boolean[] fixed) {
    int[] free = free(fixed);
    requireEnough(observations.size(), free.length);
    double[] scale = new double[free.length];
    for (int i = 0; i < free.length; i++) {
      scale[i] = Math.max(Math.abs(start[free[i]]), 1e-9);
    }
    double[] best = optimise(start, free, scale);
    return describe(best, free, fixed);
  }

  static void requireEnough(int observations, int parameters) {
    if (observations < parameters) {
      throw new BadInput(
          "%d measurements cannot determine %d parameters.".formatted(observations, parameters),
          "Maybe measure at least %d more.".formatted(parameters - observations));
    }
  }

  /** Scaled to the start, so that parameters of any size weigh the same. */
  private double[] optimise(double[] start, int[] free, double[] scale) {
    double[] target = observations.stream().mapToDouble(CurvePoint::value).toArray();
    double[] begin = new double[free.length];
    for (int i = 0; i < free.length; i++) {
      begin[i] = start[free[i]] / scale[i];
    }
    LeastSquaresProblem problem =
        new LeastSquaresBuilder()
            .start(begin)
            .target(target)
            .model(point -> valueAndJacobian(expand(start, free, scale, point), free, scale))
            .parameterValidator(point -> bounded(point, free, scale))
            .maxEvaluations(MOST_STEPS)
            .maxIterations(MOST_STEPS)
            .build();
    try {
      RealVector found =
          new LevenbergMarquardtOptimizer()
              .withCostRelativeTolerance(1e-14)
              .withParameterRelativeTolerance(1e-13)
              .withOrthoTolerance(1e-14)
              .optimize(problem)
              .getPoint();
      return expand(start, free, scale, found);
    } catch (MathIllegalStateException cannotImprove) {
      // The optimizer says so when rounding hides any further descent: the start is the answer.
      return start;
    }
  }

  private RealVector bounded(RealVector point, int[] free, double[] scale) {
    RealVector inside = point.copy();
    for (int i = 0; i < free.length; i++) {
      inside.setEntry(i, Math.max(inside.getEntry(i), least[free[i]] / scale[i]));
    }
    return inside;
  }

  private static double[] expand(double[] start, int[] free, double[] scale, RealVector point) {
    double[] all = start.clone();
    for (int i = 0; i < free.length; i++) {
      all[free[i]] = point.getEntry(i) * scale[i];
    }
    return all;
  }

  private Pair<RealVector, RealMatrix> valueAndJacobian(
      double[] parameters, int[] free, double[] scale) {
    int rows = observations.size();
    RealVector values = new ArrayRealVector(rows);
    RealMatrix jacobian = new Array2DRowRealMatrix(rows, free.length);
    for (int row = 0; row < rows; row++) {
      double[] x = observations.get(row).inputs();
      values.setEntry(row, curve.value(parameters, x));
      double[] slope = gradient(curve, parameters, x);
      for (int i = 0; i < free.length; i++) {
        jacobian.setEntry(row, i, slope[free[i]] * scale[i]);
      }
    }
    return new Pair<>(values, jacobian);
  }

  /** The slope of the value in each parameter, by central differences. */
  static double[] gradient(Curve curve, double[] parameters, double[] inputs) {
    double[] slope = new double[parameters.length];
    double[] moved = parameters.clone();
    for (int i = 0; i < slope.length; i++) {
      double step = STEP * Math.max(Math.abs(parameters[i]), 1e-6);
      moved[i] = parameters[i] + step;
      double up = curve.value(moved, inputs);
      moved[i] = parameters[i] - step;
      slope[i] = (up - curve.value(moved, inputs)) / (2 * step);
      moved[i] = parameters[i];
    }
    return slope;
  }

  private FittedCurve describe(double[] best, int[] free, boolean[] fixed) {
    double[] ones = new double[free.length];
    Arrays.fill(ones, 1);
    RealMatrix jacobian = valueAndJacobian(best, free, ones).getSecond();
    double squares = 0;
    for (CurvePoint observation : observations) {
      double off = observation.value() - curve.value(best, observation.inputs());
      squares += off * off;
    }
    int freedom = observations.size() - free.length;
    double residual = freedom > 0 ? Math.sqrt(squares / freedom) : 0;
    List<String> warnings = new ArrayList<>();
    double[][] ofFree = covariance(jacobian, residual, free, warnings);
    if (freedom == 0) {
      warnings.add(
          "There are only as many measurements as parameters, so that no error can be given.");
    }
    double[][] covariance = new double[best.length][best.length];
    List<Parameter> parameters = new ArrayList<>();
    for (int i = 0; i < free.length; i++) {
      for (int j = 0; j < free.length; j++) {
        covariance[free[i]][free[j]] = ofFree[i][j];
      }
    }
    for (int i = 0; i < best.length; i++) {
      double error =
          fixed[i] ? 0 : freedom == 0 ? Double.POSITIVE_INFINITY : Math.sqrt(covariance[i][i]);
      parameters.add(new Parameter(names.get(i), best[i], error));
      if (!fixed[i] && freedom > 0 && error > Math.abs(best[i]) && Double.isFinite(error)) {
        warnings.add(
            String.format(
                Locale.ROOT,
                "%s is hardly determined: %.4g with a standard error of %.4g.",
                names.get(i),
                best[i],
                error));
      }
    }
    return new FittedCurve(
        curve, parameters, covariance, residual, observations.size(), ranges(), warnings);
  }

  private double[][] covariance(
      RealMatrix jacobian, double residual, int[] free, List<String> warnings) {
    int size = free.length;
    double[] norm = new double[size];
    RealMatrix scaled = jacobian.copy();
    for (int i = 0; i < size; i++) {
      norm[i] = Math.max(jacobian.getColumnVector(i).getNorm(), Double.MIN_NORMAL);
      scaled.setColumnVector(i, jacobian.getColumnVector(i).mapDivide(norm[i]));
    }
    SingularValueDecomposition svd = new SingularValueDecomposition(scaled);
    double[] values = svd.getSingularValues();
    RealMatrix v = svd.getV();
    double[][] covariance = new double[size][size];
    for (int k = 0; k < values.length; k++) {
      boolean lost = values[k] <= NO_TRACE * values[0];
      if (lost) {
        warnings.add(untold(v.getColumn(k), free));
      }
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
          double part = v.getEntry(i, k) * v.getEntry(j, k) / (norm[i] * norm[j]);
          double strength = lost ? NO_TRACE * values[0] : values[k];
          covariance[i][j] += residual * residual * part / (strength * strength);
        }
      }
    }
    return covariance;
  }

  private String untold(double[] direction, int[] free) {
    List<String> together = new ArrayList<>();
    for (int i = 0; i < direction.length; i++) {
      if (Math.abs(direction[i]) > 0.1) {
        together.add(names.get(free[i]));
      }
    }
    return "The measurements cannot show %s: other values fit them as well."
        .formatted(String.join(" from ", together));
  }

  private List<Range> ranges() {
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      int input = i;
      double low = observations.stream().mapToDouble(o -> o.inputs()[input]).min().orElseThrow();
      double high = observations.stream().mapToDouble(o -> o.inputs()[input]).max().orElseThrow();
      ranges.add(new Range(inputs.get(i), low, high));
    }
    return ranges;
  }

  private static int[] free(boolean[] fixed) {
    List<Integer> free = new ArrayList<>();
    for (int i = 0; i < fixed.length; i++) {
      if (!fixed[i]) {
        free.add(i);
      }
    }
    return free.stream().mapToInt(Integer::intValue).toArray();
  }
}
