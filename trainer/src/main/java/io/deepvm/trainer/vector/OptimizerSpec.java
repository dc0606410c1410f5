package io.deepvm.trainer.vector;

import io.deepvm.base.BadInput;

/**
 * How parameters follow a gradient.
 *
 * @param momentum of SGD, or Adam's first decay
 * @param decay Adam's second decay
 */
public record OptimizerSpec(Kind kind, double rate, double momentum, double decay) {

  private static final double EPSILON = 1e-8;

  /** The known rules. */
  public enum Kind {
    SGD("sgd"),
    ADAM("adam");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  public OptimizerSpec {
    if (!(rate > 0) || !(momentum >= 0 && momentum < 1) || !(decay > 0 && decay < 1)) {
      throw new BadInput(
          "The optimizer's rate (%s) is not positive, or a decay (%s, %s) not in [0, 1)."
              .formatted(rate, momentum, decay),
          "Maybe take rate 0.05 and momentum 0.9.");
    }
  }

  /** Returns how many vectors it keeps beside the parameters. */
  public int slots() {
    return kind == Kind.ADAM ? 2 : momentum > 0 ? 1 : 0;
  }

  /** Returns the name of one of these vectors. */
  public String slot(int index) {
    return kind == Kind.SGD ? "momentum" : index == 0 ? "mean" : "variance";
  }

  /**
   * Takes one step on a piece of the parameters.
   *
   * @param step which step it is, from 1
   * @param scale what the gradient is multiplied with first
   * @param length how much of the arrays counts
   */
  void apply(
      long step, float scale, float[] parameters, float[] gradient, float[][] slots, int length) {
    if (kind == Kind.ADAM) {
      adam(step, scale, parameters, gradient, slots[0], slots[1], length);
    } else if (momentum > 0) {
      momentum(scale, parameters, gradient, slots[0], length);
    } else {
      float factor = (float) rate * scale;
      for (int i = 0; i < length; i++) {
        parameters[i] -= factor * gradient[i];
      }
    }
  }

  private void momentum(float scale, float[] parameters, float[] gradient, float[] m, int length) {
    float keep = (float) momentum;
    float step = (float) rate;
    for (int i = 0; i < length; i++) {
      m[i] = keep * m[i] + scale * gradient[i];
      parameters[i] -= step * m[i];
    }
  }

  private void adam(
      long step, float scale, float[] p, float[] gradient, float[] m, float[] v, int length) {
    float b1 = (float) momentum;
    float b2 = (float) decay;
    float unbias = (float) (1 / Math.sqrt(1 - Math.pow(decay, (double) step)));
    float pace = (float) (rate / (1 - Math.pow(momentum, (double) step)));
    float epsilon = (float) EPSILON;
    for (int i = 0; i < length; i++) {
      float g = scale * gradient[i];
      m[i] = b1 * m[i] + (1 - b1) * g;
      v[i] = b2 * v[i] + (1 - b2) * g * g;
      p[i] -= pace * m[i] / ((float) Math.sqrt(v[i]) * unbias + epsilon);
    }
  }
}
