package io.deepvm.bench;

import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.SpeedupCurve;
import io.deepvm.workload.NetworkSaturation;
import io.deepvm.workload.ScalingCurve;
import java.util.List;
import java.util.Objects;

/** The artifact's search as it stands: every worker, remote, n and m below 256. */
final class NestedLoops {

  private static final int LIMIT = 256;

  private NestedLoops() {}

  /** Returns the best Z within a budget, with or without the scaling factor. */
  static double best(Catalog catalog, double budget, boolean scale) {
    List<Listing> workers = catalog.listings().stream().filter(l -> l.machine().trains()).toList();
    List<Listing> remotes = catalog.listings().stream().filter(l -> !l.machine().trains()).toList();
    double best = 0;
    for (Listing v : workers) {
      SpeedupCurve c = Objects.requireNonNull(v.machine().speedup());
      ScalingCurve curve = new ScalingCurve.Logistic(c.a(), c.b(), c.c());
      double[] effective = new double[LIMIT];
      for (int n = 1; n < LIMIT; n++) {
        effective[n] = scale ? n * curve.factor(n) : n;
      }
      double spot = Objects.requireNonNull(v.spot()).dollars();
      double onDemand = Objects.requireNonNull(v.onDemand()).dollars();
      double flopp = Objects.requireNonNull(v.machine().statedFlops()) / spot * 3600;
      for (Listing w : remotes) {
        double price = Objects.requireNonNull(w.onDemand()).dollars();
        double saturation =
            NetworkSaturation.workersPerAnchor(
                Bandwidth.min(
                    Objects.requireNonNull(v.machine().network()),
                    Objects.requireNonNull(w.machine().network())));
        for (int n = 1; n < LIMIT; n++) {
          for (int m = 1; m < LIMIT; m++) {
            if (spot * n + price * m <= budget && n / (double) m < saturation) {
              best = Math.max(best, flopp * effective[n]);
            }
          }
        }
      }
      for (int n = 2; n < LIMIT; n++) {
        if (spot * (n - 1) + onDemand <= budget) {
          best = Math.max(best, flopp * effective[n]);
        }
      }
    }
    return best;
  }
}
