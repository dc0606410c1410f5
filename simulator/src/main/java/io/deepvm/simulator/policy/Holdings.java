package io.deepvm.simulator.policy;

import io.deepvm.simulator.Cluster;

/** Questions about what a cluster holds and what it could hold. */
final class Holdings {

  private Holdings() {}

  /** How many nodes are held, of both markets. */
  static int all(Cluster cluster) {
    int held = 0;
    for (int p = 0; p < cluster.pools(); p++) {
      held += cluster.spot(p) + cluster.onDemand(p);
    }
    return held;
  }

  /** The pools by the spot price of now, equal prices in the order of the market. */
  static int[] bySpotPrice(Cluster cluster) {
    int[] order = new int[cluster.pools()];
    for (int p = 0; p < order.length; p++) {
      int at = p;
      while (at > 0 && cluster.spotUsdPerHour(order[at - 1]) > cluster.spotUsdPerHour(p)) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = p;
    }
    return order;
  }

  static int cheapestOnDemand(Cluster cluster) {
    int best = 0;
    for (int p = 1; p < cluster.pools(); p++) {
      if (cluster.onDemandUsdPerHour(p) < cluster.onDemandUsdPerHour(best)) {
        best = p;
      }
    }
    return best;
  }
}
