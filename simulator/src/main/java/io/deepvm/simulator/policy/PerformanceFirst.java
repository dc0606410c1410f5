package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;

/** Always all workers: on spot where there are any, the rest on demand at once. */
public final class PerformanceFirst implements Policy {

  @Override
  public void decide(Cluster cluster, boolean tick) {
    int missing = cluster.workers() - Holdings.all(cluster);
    for (int pool : Holdings.bySpotPrice(cluster)) {
      if (missing > 0) {
        missing -= cluster.rent(pool, Market.SPOT, missing);
      }
    }
    if (missing > 0) {
      cluster.rent(Holdings.cheapestOnDemand(cluster), Market.ON_DEMAND, missing);
    }
  }
}
