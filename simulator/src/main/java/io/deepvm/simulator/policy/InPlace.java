package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;

/**
 * The plan as it is: its workers in its own pools, each spot worker replaced where it was lost, and
 * nothing else. What DeepVM's architectures do when the planner is not asked again.
 */
public final class InPlace implements Policy {

  private final int[] spot;
  private final int[] onDemand;

  /** Keeps this many workers of each market in each pool. */
  public InPlace(int[] spot, int[] onDemand) {
    this.spot = spot.clone();
    this.onDemand = onDemand.clone();
  }

  @Override
  public void decide(Cluster cluster, boolean tick) {
    for (int p = 0; p < spot.length; p++) {
      int missing = spot[p] - cluster.spot(p);
      if (missing > 0) {
        cluster.rent(p, Market.SPOT, missing);
      }
      missing = onDemand[p] - cluster.onDemand(p);
      if (missing > 0) {
        cluster.rent(p, Market.ON_DEMAND, missing);
      }
    }
  }
}
