package io.deepvm.studies.deepvm;

import io.deepvm.catalog.Offer;
import io.deepvm.workload.ScalingCurve;
import java.util.List;

/** A GPU type as the artifact sees it. Its doubles and their order of operations are the point. */
final class ArtifactWorker {

  private final Offer spotOffer;
  private final Offer onDemandOffer;
  private final double flops;
  private final double flopp;
  private final int limit;
  private final boolean familyG;
  private final List<ArtifactRemote> remotes;
  private final double[] factors;

  /**
   * @param limit the first number of nodes that is too many
   * @param familyG whether the two baselines consider it
   * @param remotes the remotes that may serve it, in the order of the catalog
   */
  ArtifactWorker(
      Offer spotOffer,
      Offer onDemandOffer,
      double flops,
      ScalingCurve curve,
      int limit,
      boolean familyG,
      List<ArtifactRemote> remotes) {
    this.spotOffer = spotOffer;
    this.onDemandOffer = onDemandOffer;
    this.flops = flops;
    this.flopp = flops / spotOffer.pricePerHour().dollars() * 3600;
    this.limit = limit;
    this.familyG = familyG;
    this.remotes = List.copyOf(remotes);
    this.factors = new double[limit + 1];
    for (int n = 1; n <= limit; n++) {
      factors[n] = factor(curve, n);
    }
  }

  /** S(n) / L(n) as written, not the closed form: they differ in the last bit, which ties see. */
  private static double factor(ScalingCurve curve, int n) {
    if (curve instanceof ScalingCurve.Logistic fit) {
      return n <= fit.b() ? 1 : fit.logistic(n) / fit.tangent(n);
    }
    return curve.factor(n);
  }

  Offer spotOffer() {
    return spotOffer;
  }

  Offer onDemandOffer() {
    return onDemandOffer;
  }

  double spot() {
    return spotOffer.pricePerHour().dollars();
  }

  double onDemand() {
    return onDemandOffer.pricePerHour().dollars();
  }

  double flops() {
    return flops;
  }

  int limit() {
    return limit;
  }

  boolean familyG() {
    return familyG;
  }

  List<ArtifactRemote> remotes() {
    return remotes;
  }

  /** Z as the artifact computes it for tiering: FLOPP * K * n. */
  double tieringZ(int n, boolean scale) {
    return flopp * (scale ? factors[n] : 1) * n;
  }

  /** Z as the artifact computes it for a single anchor: FLOPP * n * K. */
  double singleAnchorZ(int n, boolean scale) {
    return flopp * n * (scale ? factors[n] : 1);
  }

  /** How many nodes the artifact's baselines fill the budget with, one of them on-demand. */
  int nodesThatFill(double budget) {
    return 1 + (int) Math.min(floorDivide(budget - onDemand(), spot()), limit - 1);
  }

  /** Python's // on floats: it loses a node where the quotient is whole but its parts are not. */
  static double floorDivide(double dividend, double divisor) {
    double remainder = dividend % divisor;
    double quotient = (dividend - remainder) / divisor;
    if (remainder != 0 && (divisor < 0) != (remainder < 0)) {
      quotient -= 1;
    }
    double floor = Math.floor(quotient);
    return quotient - floor > 0.5 ? floor + 1 : floor;
  }
}
