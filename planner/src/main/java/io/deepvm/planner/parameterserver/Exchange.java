package io.deepvm.planner.parameterserver;

/** A quick way to a good cluster of a given size: exchange workers while that helps. */
final class Exchange {

  private static final int MOST_ROUNDS = 200;

  private Exchange() {}

  /** Returns a cluster of which no single exchange is better; late ones count by their lateness. */
  static int[] descend(ProvisionRequest request, Fleet fleet) {
    int types = request.offers().size();
    int[] counts = fastest(request, fleet);
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
          if (merit < best) {
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
    return fleet.inTime(seconds) ? fleet.dollars(seconds, sums.price()) : 1e30 * (1 + seconds);
  }

  private static int[] fastest(ProvisionRequest request, Fleet fleet) {
    int types = request.offers().size();
    int[] counts = new int[types];
    int left = fleet.added;
    while (left > 0) {
      int next = -1;
      for (int i = 0; i < types; i++) {
        if (counts[i] == 0
            && request.offers().get(i).limit() > 0
            && (next < 0 || fleet.rate[i] > fleet.rate[next])) {
          next = i;
        }
      }
      counts[next] = Math.min(left, request.offers().get(next).limit());
      left -= counts[next];
    }
    return counts;
  }
}
