package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;

/** Spot workers of the one pool that is cheapest now, waiting for it while it has none. */
public final class CostFirst implements Policy {

  @Override
  public void decide(Cluster cluster, boolean tick) {
    int missing = cluster.workers() - Holdings.all(cluster);
    if (missing > 0) {
      cluster.rent(Holdings.bySpotPrice(cluster)[0], Market.SPOT, missing);
    }
  }
}
