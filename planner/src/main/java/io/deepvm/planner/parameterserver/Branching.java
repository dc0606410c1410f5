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

  /** Bounds with a convergence coefficient look at more pieces. */
  private static final int COEFFICIENT_EFFORT = 6;

  private final ProvisionRequest request;
  private final Fleet fleet;
  private final ExactSearch.Incumbent incumbent;
  private final ExactSearch.Budget budget;
  private final int types;
  private final int[] order;
  private final int[] limit;
  private final SupportLines lines;
  private final LeastBill bill;
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
    lines = new SupportLines(fleet, request.sharedLimits(), order, limit, at);
    bill = new LeastBill(fleet, lines);
    counts = new int[request.offers().size()];
    used = new double[request.sharedLimits().size()];
  }

  /** A bound on every cluster of this size, without branching. */
  static double rootBound(ProvisionRequest request, Fleet fleet) {
    int[] order = offered(request);
    int[] limit = limits(request, order);
    LeastSums least = new LeastSums(limit, fleet.added, 1);
    for (SharedLimit shared : request.sharedLimits()) {
      double drawn = least.leastOfAll(shared.drawnBy(order));
      if (drawn > shared.limit() + Fleet.ROUNDING * Math.abs(shared.limit())) {
        return Double.POSITIVE_INFINITY;
      }
    }
    if (fleet.added == 0) {
      return fleet.dollars(fleet.base); // nothing is chosen, so this is the bill itself
    }
    SupportLines lines = new SupportLines(fleet, request.sharedLimits(), order, limit, null);
    return new LeastBill(fleet, lines).below(0, fleet.added, fleet.base, new double[0], 0);
  }

  /** Searches; returns the least bill that clusters left out for lack of patience may have. */
  double prove() {
    descend(0, fleet.added, fleet.base);
    return proven
        ? Double.POSITIVE_INFINITY
        : bill.below(0, fleet.added, fleet.base, new double[used.length], Double.POSITIVE_INFINITY);
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
        budget.spend(fleet.coefficient ? COEFFICIENT_EFFORT : 1);
        if (bill.below(i, left, sums, used, incumbent.cutoff()) >= incumbent.cutoff()) {
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
    double perRate =
        -(2 * seconds / at.rate() + fleet.shift / (at.rate() * at.rate())) * at.price();
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
