package io.deepvm.planner;

import io.deepvm.workload.ScalingCurve;
import java.util.Arrays;

/**
 * A scaling curve by cluster size, remembered once asked, because the search asks for it millions
 * of times.
 */
final class CurveTable {

  private final ScalingCurve curve;
  private final double[] speedup;
  private final double[] effectiveNodes;

  CurveTable(ScalingCurve curve, int mostNodes) {
    this.curve = curve;
    speedup = new double[mostNodes + 1];
    effectiveNodes = new double[mostNodes + 1];
    Arrays.fill(speedup, Double.NaN);
    Arrays.fill(effectiveNodes, Double.NaN);
  }

  /** Times as fast as one node. */
  double speedup(int nodes) {
    if (Double.isNaN(speedup[nodes])) {
      speedup[nodes] = curve.speedup(nodes);
    }
    return speedup[nodes];
  }

  /** The paper's n K(n). */
  double effectiveNodes(int nodes) {
    if (Double.isNaN(effectiveNodes[nodes])) {
      // A computed curve searches for the best split: once is enough.
      effectiveNodes[nodes] =
          curve instanceof ScalingCurve.Exchanging computed && computed.measured() == null
              ? speedup(nodes)
              : nodes * curve.factor(nodes);
    }
    return effectiveNodes[nodes];
  }

  ScalingCurve curve() {
    return curve;
  }
}
