package io.deepvm.planner.parameterserver;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what weighing every cluster would find, without doing so: sizes of cluster are taken in the
 * order of what they cost at least, and within a size whole families of clusters are left out once
 * none of them can be cheaper than the best known ({@link Branching}). It stops early only after a
 * stated number of bounds, and then says how far from the optimum it may be.
 *
 * @param mostBounds after how many bounds to give up the proof; those with a convergence
 *     coefficient count six times
 */
public record ExactSearch(long mostBounds) implements ProvisionSearch {

  /** How close to the best known a bound must come for its clusters to be left out, relative. */
  static final double SLACK = 1e-9;

  private static final long PATIENCE = 1_500_000;

  /** By how much cluster sizes are apart that are tried before the search, for a first price. */
  private static final double STRIDE = 1.12;

  /** With patience for about two seconds. */
  public ExactSearch() {
    this(PATIENCE);
  }

  private record Size(Fleet fleet, double bound) {}

  @Override
  public ProvisionOutcome search(ProvisionRequest request) {
    return search(request, Double.POSITIVE_INFINITY);
  }

  /** Returns the cheapest cluster below a price, for callers that already know a dearer one. */
  ProvisionOutcome search(ProvisionRequest request, double below) {
    Incumbent incumbent = new Incumbent(request, below);
    List<Size> sizes = sizes(request);
    sizes.stream()
        .filter(size -> onStride(size.fleet.workers))
        .forEach(size -> incumbent.improve(size.fleet));
    Budget budget = new Budget(mostBounds);
    double open = Double.POSITIVE_INFINITY;
    for (Size size : sizes) {
      if (size.bound >= incumbent.cutoff()) {
        break;
      }
      if (budget.spent()) {
        open = Math.min(open, size.bound);
        continue;
      }
      int[] start = incumbent.improve(size.fleet);
      if (size.bound < incumbent.cutoff()) {
        open = Math.min(open, new Branching(request, size.fleet, start, incumbent, budget).prove());
      }
    }
    int[] best = incumbent.counts();
    double gap = open >= incumbent.cutoff() ? 0 : best == null ? 1 : 1 - open / incumbent.dollars();
    return new ProvisionOutcome(
        best == null ? null : Provision.of(request, best), budget.used(), gap);
  }

  private static boolean onStride(int workers) {
    double steps = Math.log(workers) / Math.log(STRIDE);
    double before = Math.log(workers - 1.0) / Math.log(STRIDE);
    return Math.floor(steps) > Math.floor(before);
  }

  /** Every size of cluster that may be in time, cheapest bound first. */
  private static List<Size> sizes(ProvisionRequest request) {
    List<Size> sizes = new ArrayList<>();
    int running = request.running();
    for (int workers = Math.max(1, running); workers <= running + request.available(); workers++) {
      Fleet fleet = new Fleet(request, workers);
      double bound = Branching.rootBound(request, fleet);
      if (bound < Double.POSITIVE_INFINITY) {
        sizes.add(new Size(fleet, bound));
      }
    }
    sizes.sort(Comparator.comparingDouble(Size::bound));
    return sizes;
  }

  /** How many bounds may still be computed. */
  static final class Budget {

    private final long most;
    private long used;

    Budget(long most) {
      this.most = most;
    }

    void spend(long effort) {
      used += effort;
    }

    boolean spent() {
      return used >= most;
    }

    long used() {
      return used;
    }
  }

  /** The best cluster known. */
  static final class Incumbent {

    private final ProvisionRequest request;
    private double dollars;
    private int @Nullable [] counts;

    Incumbent(ProvisionRequest request, double below) {
      this.request = request;
      this.dollars = below;
    }

    double dollars() {
      return dollars;
    }

    int @Nullable [] counts() {
      return counts;
    }

    /** Clusters that cost this much or more are of no interest. */
    double cutoff() {
      return dollars * (1 - SLACK);
    }

    void offer(double price, int[] cluster) {
      if (price < dollars && request.allows(cluster)) {
        dollars = price;
        counts = cluster.clone();
      }
    }

    /** Returns a good cluster of one size, found by exchanging one worker at a time. */
    int[] improve(Fleet fleet) {
      int[] cluster = WorkerSwaps.descend(request, fleet);
      offer(fleet.dollars(fleet.sums(cluster)), cluster);
      return cluster;
    }
  }
}
