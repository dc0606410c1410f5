package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;

/** All workers on demand, in the cheapest pool, from the first moment to the last. */
public final class OnDemandOnly implements Policy {

  @Override
  public void decide(Cluster cluster, boolean tick) {
    int missing = cluster.workers() - Holdings.all(cluster);
    if (missing > 0) {
      cluster.rent(Holdings.cheapestOnDemand(cluster), Market.ON_DEMAND, missing);
    }
  }
}
