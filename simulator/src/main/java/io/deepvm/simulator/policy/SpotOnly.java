package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;
import io.deepvm.simulator.Policy;

/**
 * As many spot workers as there are, cheapest pools first; never a node on demand, never a move.
 */
public final class SpotOnly implements Policy {

  @Override
  public void decide(Cluster cluster, boolean tick) {
    int missing = cluster.workers() - Holdings.all(cluster);
    for (int pool : Holdings.bySpotPrice(cluster)) {
      if (missing > 0) {
        missing -= cluster.rent(pool, Market.SPOT, missing);
      }
    }
  }
}
