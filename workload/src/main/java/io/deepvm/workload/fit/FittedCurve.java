package io.deepvm.workload.fit;

import java.util.List;
import org.hipparchus.distribution.continuous.TDistribution;

/**
 * A curve chosen by least squares, with what is known of its errors.
 *
 * @param covariance of the parameters, in their order
 * @param residual standard deviation of the measurements around the curve
 * @param warnings what the measurements cannot show, one sentence each
 */
public record FittedCurve(
    Curve curve,
    List<Parameter> parameters,
    double[][] covariance,
    double residual,
    int observations,
    List<Range> ranges,
    List<String> warnings) {

  private static final double CONFIDENCE = 0.95;

  public FittedCurve {
    parameters = List.copyOf(parameters);
    ranges = List.copyOf(ranges);
    warnings = List.copyOf(warnings);
  }

  /** The fitted values in the order of the parameters. */
  public double[] values() {
    return parameters.stream().mapToDouble(Parameter::value).toArray();
  }

  /** How many measurements there are beyond those needed to fix the fitted parameters. */
  public int degreesOfFreedom() {
    long fitted = parameters.stream().filter(p -> p.standardError() != 0).count();
    return (int) (observations - fitted);
  }

  /** Returns the curve's value with its prediction interval, marked when it extrapolates. */
  public Estimate predict(double... inputs) {
    double value = curve.value(values(), inputs);
    double beyond = 1;
    for (int i = 0; i < inputs.length; i++) {
      beyond = Math.max(beyond, ranges.get(i).beyond(inputs[i]));
    }
    if (degreesOfFreedom() < 1) {
      return new Estimate(value, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, beyond);
    }
    double[] slope = Regression.gradient(curve, values(), inputs);
    double variance = residual * residual;
    for (int i = 0; i < slope.length; i++) {
      for (int j = 0; j < slope.length; j++) {
        variance += slope[i] * covariance[i][j] * slope[j];
      }
    }
    double half =
        new TDistribution(degreesOfFreedom()).inverseCumulativeProbability((1 + CONFIDENCE) / 2)
            * Math.sqrt(Math.max(0, variance));
    return new Estimate(value, value - half, value + half, beyond);
  }

  FittedCurve warning(List<String> more) {
    List<String> all = new java.util.ArrayList<>(more);
    all.addAll(warnings);
    return new FittedCurve(curve, parameters, covariance, residual, observations, ranges, all);
  }
}
