package io.deepvm.simulator;

import io.deepvm.base.Quantiles;
import java.util.Map;

/**
 * What a set of runs cost, took and lost. All runs of a set have the same end: either all were done
 * by the horizon, or none was.
 *
 * @param cost dollars of a run
 * @param seconds of runs that were done, until they were done; of the others, the horizon
 * @param losses nodes that the market took in a run
 * @param bill mean dollars of a run by what was paid for
 * @param use mean dollars of a run by what the nodes did
 * @param nodeSeconds mean paid node seconds of a run by what the nodes did
 */
public record RunStatistics(
    Quantiles cost,
    Quantiles seconds,
    Quantiles losses,
    Map<Charge, Double> bill,
    Map<Activity, Double> use,
    Map<Activity, Double> nodeSeconds) {

  /** Returns the number of runs in the set. */
  public int runs() {
    return cost.count();
  }
}
