package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Weighs every cluster; ties go to the smaller, then to the first in the order of the offers. */
public record Exhaustive() implements ProvisionSearch {

  private static final double MOST_CLUSTERS = 5e7;

  @Override
  public ProvisionOutcome search(ProvisionRequest request) {
    double clusters = 1;
    for (WorkerOffer offer : request.offers()) {
      clusters *= offer.limit() + 1.0;
    }
    if (clusters > MOST_CLUSTERS) {
      throw new BadInput(
          "There are %.3g clusters, too many to weigh each.".formatted(clusters),
          "Maybe use the exact search, which finds the same optimum.");
    }
    Walk walk = new Walk(request);
    walk.from(0, 0);
    return new ProvisionOutcome(
        walk.best == null ? null : Provision.of(request, walk.best), walk.considered, 0);
  }

  private static final class Walk {

    private final ProvisionRequest request;
    private final List<WorkerOffer> offers;
    private final int[] counts;
    private final @Nullable Fleet[] fleets;
    private double least = Double.POSITIVE_INFINITY;
    private int fewest;
    private int @Nullable [] best;
    private long considered;

    Walk(ProvisionRequest request) {
      this.request = request;
      offers = request.offers();
      counts = new int[offers.size()];
      fleets = new @Nullable Fleet[request.available() + 1];
    }

    void from(int offer, int chosen) {
      if (offer == offers.size()) {
        weigh(chosen);
        return;
      }
      for (int count = 0; count <= offers.get(offer).limit(); count++) {
        counts[offer] = count;
        from(offer + 1, chosen + count);
      }
      counts[offer] = 0;
    }

    private void weigh(int chosen) {
      int workers = request.running() + chosen;
      if (workers == 0 || !request.allows(counts)) {
        return;
      }
      considered++;
      Fleet fleet = fleets[chosen];
      if (fleet == null) {
        fleet = new Fleet(request, workers);
        fleets[chosen] = fleet;
      }
      double dollars = fleet.dollars(fleet.sums(counts));
      if (dollars < least || (dollars == least && best != null && chosen < fewest)) {
        least = dollars;
        fewest = chosen;
        best = Arrays.copyOf(counts, counts.length);
      }
    }
  }
}
