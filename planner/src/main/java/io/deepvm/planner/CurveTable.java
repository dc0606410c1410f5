package io.deepvm.planner;

import io.deepvm.workload.ScalingCurve;

/**
 * A scaling curve tabulated for every cluster size, because the search asks for it millions of
 * times.
 */
final class CurveTable {

  private final ScalingCurve curve;
  private final double[] speedup;
  private final double[] effectiveNodes;

  CurveTable(ScalingCurve curve, int mostNodes) {
    this.curve = curve;
    speedup = new double[mostNodes + 1];
    effectiveNodes = new double[mostNodes + 1];
    for (int n = 1; n <= mostNodes; n++) {
      speedup[n] = curve.speedup(n);
      effectiveNodes[n] = n * curve.factor(n);
    }
  }

  /** Times as fast as one node. */
  double speedup(int nodes) {
    return speedup[nodes];
  }

  /** The paper's n K(n). */
  double effectiveNodes(int nodes) {
    return effectiveNodes[nodes];
  }

  ScalingCurve curve() {
    return curve;
  }
}
