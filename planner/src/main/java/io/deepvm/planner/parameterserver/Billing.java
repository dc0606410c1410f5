package io.deepvm.planner.parameterserver;

import io.deepvm.units.Money;

/**
 * What the bill holds besides the workers' hours of training.
 *
 * @param serversPerHour the parameter servers
 * @param startUpSeconds from renting to training, which count against the deadline too
 * @param overheadBilled whether the seconds lost to a revocation are paid for
 */
public record Billing(Money serversPerHour, double startUpSeconds, boolean overheadBilled) {

  /** Equation 11 as published: workers while they train, nothing else. */
  public static final Billing PAPER = new Billing(Money.ZERO, 0, false);
}
