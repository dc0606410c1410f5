package io.deepvm.cli.plan;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.OfferFilter;
import io.deepvm.catalog.Vendor;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Planning;
import java.util.List;
import java.util.Map;

/**
 * The offers that a plan may use: those of the usual vendor, if the user names none, and the user's
 * own filter upon them.
 *
 * @param catalog what the usual vendor leaves of the whole catalog
 * @param others how many types the usual vendor leaves out where the user looks, by vendor
 */
record OfferChoice(Catalog catalog, OfferFilter filter, Map<Vendor, Integer> others) {

  /** Returns the choice; the original plans know no vendor, and none holds for them by default. */
  static OfferChoice of(Catalog all, GoalOptions wanted, boolean original) {
    OfferFilter filter = wanted.filter();
    filter.requireKnown(all);
    OfferFilter usual = original ? OfferFilter.NONE : wanted.usualFilter();
    List<Listing> kept = usual.select(all).kept();
    if (kept.size() == all.listings().size()
        || kept.stream().noneMatch(listing -> listing.machine().trains())) {
      return new OfferChoice(all, filter, Map.of());
    }
    List<Listing> looked = filter.select(all.with(all.in(wanted.places))).kept();
    return new OfferChoice(
        all.with(kept),
        filter,
        looked.isEmpty() ? Map.of() : usual.typesOfOtherVendors(all.with(looked)));
  }

  /** Returns the same choice on another catalog. */
  OfferChoice on(Catalog other) {
    return new OfferChoice(other, filter, others);
  }

  /** Returns the goal with places that name their cloud. */
  Goal placed(Goal goal) {
    return goal.withOffers(goal.offers().withPlaces(catalog.resolved(goal.places())));
  }

  /** Returns the catalog with what passes the filter. */
  Catalog filtered() {
    return catalog.with(filter.select(catalog).kept());
  }

  /** Returns the planning with a note on the vendors that were left out without being asked. */
  Planning noted(Planning planning) {
    Planning noted = planning;
    for (Map.Entry<Vendor, Integer> other : others.entrySet()) {
      int types = other.getValue();
      noted =
          noted.noting(
              "%d %s with %s GPUs %s left out; --vendor any considers them too."
                  .formatted(
                      types,
                      types == 1 ? "type" : "types",
                      other.getKey(),
                      types == 1 ? "is" : "are"));
    }
    return noted;
  }
}
