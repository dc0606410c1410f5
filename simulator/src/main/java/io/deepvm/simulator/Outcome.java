package io.deepvm.simulator;

import io.deepvm.base.Money;
import java.util.Map;

/**
 * What one run cost, took and wasted.
 *
 * @param finished whether the work was done before the market's record ended, which is the horizon
 *     of a simulated run
 * @param seconds until the work was done, or until the record ended
 * @param metDeadline whether it was done in time; true when finished and there was no deadline
 * @param bill dollars by what was paid for; they add up to the cost
 * @param use the nodes' dollars by what the nodes did; they add up to the nodes' part of the bill
 * @param nodeSeconds paid seconds of nodes by what they did
 */
public record Outcome(
    boolean finished,
    double seconds,
    boolean metDeadline,
    Money cost,
    Map<Charge, Money> bill,
    Map<Activity, Money> use,
    Map<Activity, Double> nodeSeconds,
    int revocations,
    int generations,
    int checkpoints) {

  /** The share of the nodes' paid time that was useful. */
  public double goodput() {
    double all = nodeSeconds.values().stream().mapToDouble(Double::doubleValue).sum();
    return all == 0 ? 0 : nodeSeconds.getOrDefault(Activity.USEFUL, 0.0) / all;
  }
}
