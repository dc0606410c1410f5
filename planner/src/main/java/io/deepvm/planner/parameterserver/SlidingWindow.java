package io.deepvm.planner.parameterserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The paper's heuristic: only workers adjacent in iteration time are put together, by sliding a
 * window over all available workers, slowest first. Ties keep the first window found.
 */
public record SlidingWindow() implements ProvisionSearch {

  @Override
  public ProvisionOutcome search(ProvisionRequest request) {
    WorkerBounds bounds = WorkerBounds.asPublished(request);
    int running = request.running();
    int fewest = Math.max(running == 0 ? 1 : 0, bounds.lower() - running);
    int most = Math.min(request.available(), bounds.upper() - running);
    Sweep sweep = new Sweep(request);
    for (int size = fewest; size <= most; size++) {
      sweep.slide(size);
    }
    return new ProvisionOutcome(
        sweep.best == null ? null : Provision.of(request, sweep.best),
        sweep.considered,
        Double.NaN);
  }

  /** Windows of any size over the sorted workers, and the cheapest cluster among them. */
  static final class Sweep {

    private final ProvisionRequest request;
    private final int[] sorted;
    private double least = Double.POSITIVE_INFINITY;
    int @Nullable [] best;
    long considered;

    Sweep(ProvisionRequest request) {
      this.request = request;
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < request.offers().size(); i++) {
        order.add(i);
      }
      order.sort(
          Comparator.comparingDouble(
              i -> -request.model().aloneSeconds(request.offers().get(i).type())));
      sorted =
          order.stream()
              .flatMapToInt(
                  i ->
                      java.util.stream.IntStream.generate(() -> i)
                          .limit(request.offers().get(i).limit()))
              .toArray();
    }

    /** Weighs every window of one size. */
    void slide(int size) {
      Fleet fleet = new Fleet(request, request.running() + size);
      int[] counts = new int[request.offers().size()];
      for (int i = 0; i < size; i++) {
        counts[sorted[i]]++;
      }
      weigh(fleet, counts);
      for (int from = 1; from + size <= sorted.length; from++) {
        considered++;
        if (size == 0 || sorted[from - 1] == sorted[from + size - 1]) {
          continue; // the same cluster again
        }
        counts[sorted[from - 1]]--;
        counts[sorted[from + size - 1]]++;
        weigh(fleet, counts);
      }
      considered++;
    }

    private void weigh(Fleet fleet, int[] counts) {
      double dollars = fleet.dollars(fleet.sums(counts));
      if (dollars < least && request.allows(counts)) {
        least = dollars;
        best = Arrays.copyOf(counts, counts.length);
      }
    }
  }
}
