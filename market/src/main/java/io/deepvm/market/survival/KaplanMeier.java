package io.deepvm.market.survival;

import java.util.ArrayList;
import java.util.List;

/**
 * The share of stays that last longer than a time, straight from the stays (Kaplan and Meier), with
 * 95 % intervals by Greenwood's variance on the log-log scale. Slots of one pool are often lost
 * together, so the true intervals are wider.
 */
public record KaplanMeier(double tickSeconds, List<Step> steps) {

  private static final double Z95 = 1.959963984540054;

  /** The curve from this many ticks on, until the next step. */
  public record Step(
      int ticks, long atRisk, long ended, double survival, double low, double high) {}

  public KaplanMeier {
    steps = List.copyOf(steps);
  }

  /** Estimates the curve. */
  public static KaplanMeier of(Lifetimes lifetimes) {
    List<Step> steps = new ArrayList<>();
    long atRisk = lifetimes.stays();
    double survival = 1;
    double greenwood = 0;
    double high = 1;
    for (int r = 1; r < lifetimes.ended().length; r++) {
      long ended = lifetimes.ended()[r];
      if (ended > 0) {
        survival *= 1 - (double) ended / atRisk;
        greenwood += ended < atRisk ? ended / ((double) atRisk * (atRisk - ended)) : 0;
        double spread = Z95 * Math.sqrt(greenwood) / Math.abs(Math.log(survival));
        // Nothing is left at the end of some curves, and the last interval before is all one knows.
        double low = survival == 0 ? 0 : Math.pow(survival, Math.exp(spread));
        high = survival == 0 ? high : Math.pow(survival, Math.exp(-spread));
        steps.add(new Step(r, atRisk, ended, survival, low, high));
      }
      atRisk -= ended + lifetimes.censored()[r];
    }
    return new KaplanMeier(lifetimes.tickSeconds(), steps);
  }

  /** Returns the step that holds after some hours; nothing is lost before the first. */
  public Step at(double hours) {
    // A sum of ticks must not miss its own step by a rounding.
    double ticks = hours * 3600 / tickSeconds + 1e-9;
    Step holds = new Step(0, 0, 0, 1, 1, 1);
    for (Step step : steps) {
      if (step.ticks() > ticks) {
        break;
      }
      holds = step;
    }
    return holds;
  }

  /** Returns the hours after which half of the stays are over; NaN when more than half last on. */
  public double medianHours() {
    return steps.stream()
        .filter(step -> step.survival() <= 0.5)
        .mapToDouble(step -> step.ticks() * tickSeconds / 3600)
        .findFirst()
        .orElse(Double.NaN);
  }
}
