package io.deepvm.planner.parameterserver;

import java.util.function.IntToDoubleFunction;

/** A quick way to a good cluster of a given size: exchange workers while that helps. */
final class WorkerSwaps {

  private static final int MOST_ROUNDS = 200;

  private WorkerSwaps() {}

  /** Returns a cluster that no single swap improves; a late cluster counts by its lateness. */
  static int[] descend(ProvisionRequest request, Fleet fleet) {
    int types = request.offers().size();
    int[] counts = fill(request, fleet, i -> -fleet.rate[i]);
    if (!request.allows(counts)) {
      counts = fill(request, fleet, i -> drawn(request, i));
    }
    double best = merit(fleet, fleet.sums(counts));
    for (int round = 0; round < MOST_ROUNDS; round++) {
      int from = -1;
      int to = -1;
      for (int i = 0; i < types; i++) {
        if (counts[i] == 0) {
          continue;
        }
        Fleet.Sums without = null;
        for (int j = 0; j < types; j++) {
          if (j == i || counts[j] == request.offers().get(j).limit()) {
            continue;
          }
          if (without == null) {
            counts[i]--;
            without = fleet.sums(counts);
            counts[i]++;
          }
          double merit = merit(fleet, fleet.plus(without, j, 1));
          if (merit < best && allowed(request, counts, i, j)) {
            best = merit;
            from = i;
            to = j;
          }
        }
      }
      if (from < 0) {
        break;
      }
      counts[from]--;
      counts[to]++;
    }
    return counts;
  }

  /** Dollars when in time; otherwise worse than any dollars, and worse the later. */
  private static double merit(Fleet fleet, Fleet.Sums sums) {
    double seconds = fleet.seconds(sums);
    return fleet.inTime(seconds)
        ? fleet.dollars(seconds, sums.price())
        : 1e30 * (1 + Math.abs(seconds));
  }

  private static boolean allowed(ProvisionRequest request, int[] counts, int from, int to) {
    if (request.sharedLimits().isEmpty()) {
      return true;
    }
    counts[from]--;
    counts[to]++;
    boolean allowed = request.allows(counts);
    counts[from]++;
    counts[to]--;
    return allowed;
  }

  /** The largest share of a limit that one such worker takes. */
  private static double drawn(ProvisionRequest request, int offer) {
    return request.sharedLimits().stream()
        .mapToDouble(shared -> shared.drawn().get(offer) / Math.max(1, shared.limit()))
        .max()
        .orElse(0);
  }

  /** As many workers as needed, taken from the least offers first. */
  private static int[] fill(ProvisionRequest request, Fleet fleet, IntToDoubleFunction least) {
    int types = request.offers().size();
    int[] counts = new int[types];
    int left = fleet.added;
    while (left > 0) {
      int next = -1;
      for (int i = 0; i < types; i++) {
        if (counts[i] == 0
            && request.offers().get(i).limit() > 0
            && (next < 0 || least.applyAsDouble(i) < least.applyAsDouble(next))) {
          next = i;
        }
      }
      counts[next] = Math.min(left, request.offers().get(next).limit());
      left -= counts[next];
    }
    return counts;
  }
}
