package io.deepvm.planner;

import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import java.util.List;

/** How many nodes of a listing the quotas allow. */
final class QuotaLimits {

  private record Compiled(Quota quota, PlaceFilter.Test places) {

    boolean covers(Listing listing, Market market) {
      return quota.market() == market
          && quota.covers(listing.machine())
          && places.matches(listing.place());
    }
  }

  private final List<Compiled> quotas;

  QuotaLimits(List<Quota> quotas) {
    this.quotas = quotas.stream().map(q -> new Compiled(q, q.place().test())).toList();
  }

  /** Returns the most nodes of this listing alone; without a quota, the planner's own limit. */
  int nodes(Listing listing, Market market) {
    long most = Planner.MOST_NODES;
    for (Compiled compiled : quotas) {
      if (compiled.covers(listing, market)) {
        most = Math.min(most, compiled.quota().nodes(listing.machine()));
      }
    }
    return (int) most;
  }

  /** The quota that allows the fewest such nodes, described; "none" where no quota covers it. */
  String tightest(Listing listing, Market market) {
    return covering(listing, market).stream()
        .min((a, b) -> Long.compare(a.nodes(listing.machine()), b.nodes(listing.machine())))
        .map(Quota::toString)
        .orElse("none");
  }

  /** The quotas that renting this listing draws on. */
  List<Quota> covering(Listing listing, Market market) {
    return quotas.stream().filter(c -> c.covers(listing, market)).map(Compiled::quota).toList();
  }
}
