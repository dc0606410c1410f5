package io.deepvm.market.survival;

import io.deepvm.base.BadInput;
import java.util.Random;

/** The length of stays as a formula. */
public record LifetimeModel(Family family, double scaleHours, double shape) {

  public LifetimeModel {
    if (!(scaleHours > 0 && shape > 0) || Double.isInfinite(scaleHours + shape)) {
      throw new BadInput(
          "A scale of %s h and a shape of %s make no lifetimes.".formatted(scaleHours, shape),
          "Maybe give numbers above 0.");
    }
  }

  /** Returns the chance that a new stay lasts longer. */
  public double survival(double hours) {
    return hours <= 0 ? 1 : family.survival(hours / scaleHours, shape);
  }

  /** Returns the chance that one that has lasted some hours lasts some more. */
  public double survivalFrom(double age, double hours) {
    double reached = survival(age);
    return reached == 0 ? 0 : survival(age + hours) / reached;
  }

  /** Returns the hours that half of the stays last. */
  public double medianHours() {
    return scaleHours * family.quantile(0.5, shape);
  }

  /** Returns the mean, infinite where the tail is too heavy to have one. */
  public double meanHours() {
    return scaleHours * family.mean(shape);
  }

  /** Draws the length of a stay. */
  public double drawHours(Random random) {
    // nextDouble can be 0, whose stay would never end; 1 minus it cannot.
    return scaleHours * family.quantile(1 - random.nextDouble(), shape);
  }
}
