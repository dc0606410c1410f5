package io.deepvm.workload;

import io.deepvm.base.Bandwidth;

/**
 * How many workers may send their shards to one anchor before the transfers stop overlapping well:
 * DeepVM's n_sat, measured at eight bandwidths and joined by straight lines. Beyond the fastest
 * measurement it stays flat, below the slowest it falls to zero with the bandwidth.
 */
public final class NetworkSaturation {

  private static final double[] GBPS = {0, 0.3, 1.7, 5, 10, 12.5, 15, 25, 30};
  private static final double[] WORKERS = {0, 2, 12, 16, 20, 24, 24, 28, 32};

  private NetworkSaturation() {}

  /** Workers per anchor at which the slower of the two links saturates; an anchor serves fewer. */
  public static double workersPerAnchor(Bandwidth slowerLink) {
    double gbps = slowerLink.gbps();
    int above = 1;
    while (above < GBPS.length && GBPS[above] < gbps) {
      above++;
    }
    if (above == GBPS.length) {
      return WORKERS[above - 1];
    }
    double along = (gbps - GBPS[above - 1]) / (GBPS[above] - GBPS[above - 1]);
    return WORKERS[above - 1] + along * (WORKERS[above] - WORKERS[above - 1]);
  }

  /** Returns the fewest anchors such that no anchor is saturated by its share of the workers. */
  public static int anchorsNeeded(int workers, double workersPerAnchor) {
    double quotient = Math.floor(workers / workersPerAnchor);
    if (!(quotient < Integer.MAX_VALUE - 1)) {
      return Integer.MAX_VALUE;
    }
    // The division may have rounded across a whole number; the rule itself decides.
    int anchors = Math.max(1, (int) quotient);
    while (workers / (double) anchors >= workersPerAnchor) {
      anchors++;
    }
    return anchors;
  }
}
