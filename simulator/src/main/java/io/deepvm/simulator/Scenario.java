package io.deepvm.simulator;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.checkpoint.SaveRule;
import java.util.Locale;

/**
 * A plan's cluster and job, ready to be lived through a market; everything but the market, the
 * policy and luck.
 *
 * @param work units to be done
 * @param workers how many members the plan has, the most that are of use
 * @param deadlineSeconds by when the work should be done; infinite when there is no deadline
 * @param anchorPool the pool of the on-demand member that also keeps the checkpoints; -1 when there
 *     is none
 * @param anchors how many anchors there are that do not train
 * @param anchorsPerHour what all of those cost together
 * @param egressUsdPerGb between pools, by from and to; same order as the market's pools
 */
public record Scenario(
    Throughput throughput,
    double work,
    int workers,
    double deadlineSeconds,
    int anchorPool,
    int anchors,
    Money anchorsPerHour,
    Recovery recovery,
    Checkpointing checkpointing,
    Startup startup,
    Billing billing,
    double[][] egressUsdPerGb) {

  public Scenario {
    require(work > 0 && work < Double.POSITIVE_INFINITY, "work", work, "above 0");
    require(workers > 0, "number of workers", workers, "above 0");
    require(
        anchors > 0 || anchorsPerHour.equals(Money.ZERO),
        "price of no anchors",
        anchorsPerHour.dollars(),
        "$0");
    require(deadlineSeconds > 0, "deadline in seconds", deadlineSeconds, "above 0");
  }

  /** Returns the same scenario with checkpoints by another rule. */
  public Scenario saving(SaveRule rule) {
    return new Scenario(
        throughput,
        work,
        workers,
        deadlineSeconds,
        anchorPool,
        anchors,
        anchorsPerHour,
        recovery,
        checkpointing.by(rule),
        startup,
        billing,
        egressUsdPerGb);
  }

  /** Returns the same scenario with nodes that take another time to get going. */
  public Scenario starting(Startup other) {
    return new Scenario(
        throughput,
        work,
        workers,
        deadlineSeconds,
        anchorPool,
        anchors,
        anchorsPerHour,
        recovery,
        checkpointing,
        other,
        billing,
        egressUsdPerGb);
  }

  /** Returns the dollars for sending the state from one pool to another. */
  public double moveUsd(int from, int to) {
    return egressUsdPerGb[from][to] * checkpointing.size().bytes() / 1e9;
  }

  /** The seconds from a request for on-demand nodes to training from a kept checkpoint. */
  public double coldStartSeconds() {
    return startup.onDemandBootSeconds()
        + startup.reformSeconds()
        + startup.freshSeconds()
        + (checkpointing.kept() ? checkpointing.restoreSeconds() : 0);
  }

  private static void require(boolean holds, String what, double value, String rule) {
    if (!holds) {
      throw new BadInput(
          String.format(Locale.ROOT, "The %s (%s) must be %s.", what, value, rule),
          "Maybe a digit or a sign slipped in.");
    }
  }
}
