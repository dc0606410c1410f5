package io.deepvm.simulator.policy;

import io.deepvm.catalog.Market;
import io.deepvm.simulator.Cluster;

/** What a cluster holds at a moment, over all pools. */
final class Fleet {

  /** Spot nodes without a notice. */
  int spot;

  /** Those of them that are up. */
  int readySpot;

  int onDemand;
  int readyOnDemand;
  int noticed;

  void count(Cluster cluster) {
    spot = 0;
    readySpot = 0;
    onDemand = 0;
    readyOnDemand = 0;
    noticed = 0;
    for (int p = 0; p < cluster.pools(); p++) {
      int told = cluster.noticed(p);
      noticed += told;
      spot += cluster.spot(p) - told;
      readySpot += Math.max(0, cluster.spot(p) - cluster.booting(p, Market.SPOT) - told);
      onDemand += cluster.onDemand(p);
      readyOnDemand += cluster.onDemand(p) - cluster.booting(p, Market.ON_DEMAND);
    }
  }

  int all() {
    return spot + onDemand;
  }
}
