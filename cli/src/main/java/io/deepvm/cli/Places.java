package io.deepvm.cli;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.units.BadInput;
import io.deepvm.units.Suggestion;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Checks the places a user names against those the catalog has. */
final class Places {

  private Places() {}

  /** Refuses a place that nothing in the catalog is in: it is most likely misspelt. */
  static void requireKnown(List<PlaceFilter> places, Catalog catalog) {
    for (PlaceFilter place : places) {
      PlaceFilter.Test test = place.test();
      if (catalog.listings().stream().noneMatch(l -> test.matches(l.place()))) {
        throw new BadInput(
            "The catalog '%s' has nothing in '%s'.".formatted(catalog.name(), place.pattern()),
            Suggestion.maybe(
                place.pattern(),
                names(catalog, place.pattern().split("/", -1).length),
                "Maybe it has another name there: 'deepvm catalog status' lists the clouds."));
      }
    }
  }

  private static Collection<String> names(Catalog catalog, int parts) {
    TreeSet<String> names = new TreeSet<>();
    for (Listing listing : catalog.listings()) {
      Place place = listing.place();
      names.add(
          switch (parts) {
            case 1 -> place.cloud();
            case 2 -> place.cloud() + "/" + place.region();
            default -> place.toString();
          });
    }
    return names;
  }
}
