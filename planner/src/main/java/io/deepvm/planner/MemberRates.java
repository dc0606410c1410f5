package io.deepvm.planner;

import io.deepvm.base.BadInput;

/**
 * What 1, 2, ... of a plan's training nodes do together.
 *
 * @param speeds as shares of the speed of all
 * @param trafficUsdPerHour what they pay for sending data between places while they train
 */
public record MemberRates(double[] speeds, double[] trafficUsdPerHour) {

  public MemberRates {
    if (speeds.length != trafficUsdPerHour.length) {
      throw new BadInput(
          "%d speeds and %d rates of traffic are not of the same nodes."
              .formatted(speeds.length, trafficUsdPerHour.length),
          "Maybe one of them was cut short.");
    }
  }

  /** Rates of nodes that pay for no traffic. */
  public MemberRates(double[] speeds) {
    this(speeds, new double[speeds.length]);
  }
}
