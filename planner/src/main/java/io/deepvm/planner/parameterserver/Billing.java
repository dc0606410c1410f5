package io.deepvm.planner.parameterserver;

import io.deepvm.base.Money;

/**
 * What the bill holds besides the workers' hours of training.
 *
 * @param serversPerHour the parameter servers
 * @param startUpSeconds from renting to training, which count against the deadline too
 * @param overheadBilled whether the seconds lost to a revocation are paid for
 * @param keptSeconds for which the cluster is kept after the goal; they do not count against the
 *     deadline
 */
public record Billing(
    Money serversPerHour, double startUpSeconds, boolean overheadBilled, double keptSeconds) {

  /** Equation 11 as published: workers while they train, nothing else. */
  public static final Billing PAPER = new Billing(Money.ZERO, 0, false);

  /** A bill for a cluster that is given back at the goal. */
  public Billing(Money serversPerHour, double startUpSeconds, boolean overheadBilled) {
    this(serversPerHour, startUpSeconds, overheadBilled, 0);
  }

  Billing keptFor(double seconds) {
    return new Billing(serversPerHour, startUpSeconds, overheadBilled, seconds);
  }
}
