package io.deepvm.planner.parameterserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Branch and bound over the clusters of one size. Offers are taken in a fixed order, the best first
 * by the slope of the bill at a good cluster; a node has fixed the counts of some offers and must
 * fill the rest from the later ones. {@link SupportLines} bound price and amplitude of the rest
 * from below by straight lines in its rate, and the least bill under those lines bounds the node.
 */
final class Branching {

  private final ProvisionRequest request;
  private final Fleet fleet;
  private final ExactSearch.Incumbent incumbent;
  private final ExactSearch.Budget budget;
  private final int types;
  private final int[] order;
  private final int[] limit;
  private final SupportLines lines;
  private final LeastBill bill;
  private final double[] slowestAfter;
  private final double[] fastestAfter;
  private final int[] counts;
  private final double[] used;
  private boolean proven = true;

  Branching(
      ProvisionRequest request,
      Fleet fleet,
      int[] good,
      ExactSearch.Incumbent incumbent,
      ExactSearch.Budget budget) {
    this.request = request;
    this.fleet = fleet;
    this.incumbent = incumbent;
    this.budget = budget;
    Fleet.Sums at = fleet.sums(good);
    order = bestFirst(request, fleet, at);
    types = order.length;
    limit = limits(request, order);
    double ratePerWorker =
        fleet.added == 0 ? 0 : (at.rate() - fleet.base.rate()) / fleet.added;
    lines = new SupportLines(fleet, order, limit, fleet.added, ratePerWorker, true);
    bill = new LeastBill(fleet, lines);
    counts = new int[request.offers().size()];
    used = new double[request.sharedLimits().size()];
    slowestAfter = new double[types + 1];
    fastestAfter = new double[types + 1];
    slowestAfter[types] = Double.POSITIVE_INFINITY;
    for (int i = types - 1; i >= 0; i--) {
      slowestAfter[i] = Math.min(slowestAfter[i + 1], fleet.samples[order[i]]);
      fastestAfter[i] = Math.max(fastestAfter[i + 1], fleet.samples[order[i]]);
    }
  }

  /** A bound on every cluster of this size, without branching. */
  static double rootBound(ProvisionRequest request, Fleet fleet) {
    int[] order = offered(request);
    int[] limit = limits(request, order);
    SupportLines lines = new SupportLines(fleet, order, limit, fleet.added, -1, false);
    double slowest = Double.POSITIVE_INFINITY;
    double fastest = 0;
    for (int i : order) {
      slowest = Math.min(slowest, fleet.samples[i]);
      fastest = Math.max(fastest, fleet.samples[i]);
    }
    double stale = leastStaleness(fleet, fleet.base, fleet.added, slowest, fastest);
    return new LeastBill(fleet, lines).below(0, fleet.added, fleet.base, stale);
  }

  /** Searches; returns whether nothing was left out for lack of patience. */
  boolean prove() {
    descend(0, fleet.added, fleet.base);
    return proven;
  }

  private void descend(int first, int left, Fleet.Sums sums) {
    if (left == 0) {
      incumbent.offer(fleet.dollars(sums), counts);
      return;
    }
    for (int i = first; i < types; i++) {
      if (left > 1) {
        if (budget.spent()) {
          proven = false;
          return;
        }
        budget.spend();
        double stale = leastStaleness(fleet, sums, left, slowestAfter[i], fastestAfter[i]);
        if (bill.below(i, left, sums, stale) >= incumbent.cutoff()) {
          return; // later offers alone are no better
        }
      }
      int offer = order[i];
      for (int count = Math.min(limit[i], left); count >= 1; count--) {
        if (take(offer, count)) {
          counts[offer] = count;
          descend(i + 1, left - count, fleet.plus(sums, offer, count));
          give(offer, count);
        }
      }
      counts[offer] = 0;
    }
  }

  private boolean take(int offer, int count) {
    for (int s = 0; s < used.length; s++) {
      SharedLimit shared = request.sharedLimits().get(s);
      if (used[s] + count * shared.drawn().get(offer) > shared.limit() * (1 + Fleet.ROUNDING)) {
        return false;
      }
    }
    for (int s = 0; s < used.length; s++) {
      used[s] += count * request.sharedLimits().get(s).drawn().get(offer);
    }
    return true;
  }

  private void give(int offer, int count) {
    for (int s = 0; s < used.length; s++) {
      used[s] -= count * request.sharedLimits().get(s).drawn().get(offer);
    }
  }

  /**
   * The least staleness that any completion can have. Imbalance helps: with the fastest worker's
   * share at most w, the others share the rest most evenly at (1 - w)^2 n / (n - 1).
   */
  private static double leastStaleness(
      Fleet fleet, Fleet.Sums sums, int left, double slowest, double fastest) {
    if (!fleet.coefficient) {
      return 1;
    }
    if (fleet.workers == 1) {
      return fleet.staleness(0);
    }
    double rest = left == 0 ? 0 : left * slowest;
    double share = 0;
    if (sums.fastest() > 0) {
      share = sums.fastest() / (sums.samples() + rest);
    }
    if (left > 0 && fastest > sums.fastest()) {
      share = Math.max(share, fastest / (fastest + sums.samples() + rest - slowest));
    }
    double others = 1 - Math.min(1, share);
    double even = others * others * fleet.workers / (fleet.workers - 1);
    // The fixed workers' part of the squares is known; the rest is at least even.
    return fleet.staleness(Math.sqrt(even));
  }

  private static int[] offered(ProvisionRequest request) {
    List<Integer> offered = new ArrayList<>();
    for (int i = 0; i < request.offers().size(); i++) {
      if (request.offers().get(i).limit() > 0) {
        offered.add(i);
      }
    }
    return offered.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int[] limits(ProvisionRequest request, int[] order) {
    return Arrays.stream(order).map(i -> request.offers().get(i).limit()).toArray();
  }

  /** Offers by how much one more such worker adds to the bill, to first order. */
  private static int[] bestFirst(ProvisionRequest request, Fleet fleet, Fleet.Sums at) {
    double seconds = fleet.seconds(at);
    double perPrice = seconds + fleet.extraSeconds;
    double perAmplitude = at.price() / (at.rate() * at.rate());
    double perRate = -(2 * seconds / at.rate() + fleet.shift / (at.rate() * at.rate())) * at.price();
    return Arrays.stream(offered(request))
        .boxed()
        .sorted(
            Comparator.comparingDouble(
                i ->
                    perPrice * fleet.price[i]
                        + perAmplitude * fleet.amplitude[i]
                        + perRate * fleet.rate[i]))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
