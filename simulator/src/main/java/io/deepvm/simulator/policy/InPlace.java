package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;

/**
 * The plan as it is: its spot workers in its own pools, each replaced where it was lost, and
 * nothing else. What DeepVM's architectures do when the planner is not asked again.
 */
public final class InPlace implements Policy {

  private final int[] planned;

  /** Keeps so many spot workers in each pool. */
  public InPlace(int[] planned) {
    this.planned = planned.clone();
  }

  @Override
  public void decide(Cluster cluster, boolean tick) {
    for (int p = 0; p < planned.length; p++) {
      int missing = planned[p] - cluster.spot(p);
      if (missing > 0) {
        cluster.rent(p, Market.SPOT, missing);
      }
    }
  }
}
