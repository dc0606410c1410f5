package io.deepvm.market.survival;

import org.hipparchus.distribution.continuous.NormalDistribution;
import org.hipparchus.special.Erf;
import org.hipparchus.special.Gamma;

/** Shapes that the length of stays can have; all but the first can have heavy tails. */
public enum Family {
  /** The chance to be lost is the same at every age. */
  EXPONENTIAL("exponential", 1) {
    @Override
    double survival(double x, double shape) {
      return Math.exp(-x);
    }

    @Override
    double quantile(double left, double shape) {
      return -Math.log(left);
    }

    @Override
    double mean(double shape) {
      return 1;
    }
  },
  /** Below a shape of 1, what has lasted tends to last on. */
  WEIBULL("Weibull", 2) {
    @Override
    double survival(double x, double shape) {
      return Math.exp(-Math.pow(x, shape));
    }

    @Override
    double quantile(double left, double shape) {
      return Math.pow(-Math.log(left), 1 / shape);
    }

    @Override
    double mean(double shape) {
      return Gamma.gamma(1 + 1 / shape);
    }
  },
  /** The tail is a power; at a shape of 1 or less there is no mean. */
  LOG_LOGISTIC("log-logistic", 2) {
    @Override
    double survival(double x, double shape) {
      return 1 / (1 + Math.pow(x, shape));
    }

    @Override
    double quantile(double left, double shape) {
      return Math.pow((1 - left) / left, 1 / shape);
    }

    @Override
    double mean(double shape) {
      double angle = Math.PI / shape;
      return shape > 1 ? angle / Math.sin(angle) : Double.POSITIVE_INFINITY;
    }
  },
  /** The logarithm is normal, with the shape as its standard deviation. */
  LOG_NORMAL("log-normal", 2) {
    @Override
    double survival(double x, double shape) {
      return Erf.erfc(Math.log(x) / (shape * Math.sqrt(2))) / 2;
    }

    @Override
    double quantile(double left, double shape) {
      return Math.exp(-shape * STANDARD.inverseCumulativeProbability(left));
    }

    @Override
    double mean(double shape) {
      return Math.exp(shape * shape / 2);
    }
  };

  private static final NormalDistribution STANDARD = new NormalDistribution();

  private final String label;
  private final int parameters;

  Family(String label, int parameters) {
    this.label = label;
    this.parameters = parameters;
  }

  /** Returns the chance to last longer than x, for a scale of 1. */
  abstract double survival(double x, double shape);

  /** Returns the x beyond which a chance is left, for a scale of 1. */
  abstract double quantile(double left, double shape);

  abstract double mean(double shape);

  int parameters() {
    return parameters;
  }

  @Override
  public String toString() {
    return label;
  }
}
