package io.deepvm.market.interruption;

import io.deepvm.base.Numbers;

/**
 * The share of spot nodes that is interrupted within a month, from one bound to another.
 *
 * @param to 1 where there is no upper bound
 */
public record Band(double from, double to) {

  private static final double HOURS_A_MONTH = 730;

  /** The bounds of AWS's Spot Advisor; the last band is open. */
  private static final double[] BOUNDS = {0, 0.05, 0.1, 0.15, 0.2};

  /** An open band is taken to reach twice its lower bound: an assumption. */
  private static final double OPEN_REACHES = 2;

  /** Returns a band of the Spot Advisor by its number from 0 to 4. */
  static Band numbered(int number) {
    return new Band(BOUNDS[number], number + 1 < BOUNDS.length ? BOUNDS[number + 1] : 1);
  }

  /** Returns the number of bands. */
  static int count() {
    return BOUNDS.length;
  }

  /** Returns the share in the middle of the band. */
  public double share() {
    return (from + (to == 1 ? from * OPEN_REACHES : to)) / 2;
  }

  /** Returns the mean hours between two interruptions of a node that is replaced each time. */
  public double hoursPerLoss() {
    return -HOURS_A_MONTH / Math.log(1 - share());
  }

  @Override
  public String toString() {
    return to == 1
        ? "more than %s a month".formatted(Numbers.percent(from))
        : "%s to %s a month".formatted(Numbers.percent(from), Numbers.percent(to));
  }
}
