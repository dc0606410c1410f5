package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What must not be rented, by pattern: an instance type, a GPU or a place. A name without a slash
 * is compared with all three; a region or zone need not name its cloud.
 */
public record Exclusion(String pattern) {

  public Exclusion {
    if (pattern.isBlank()) {
      throw new BadInput(
          "'%s' is neither a type, a GPU nor a place.".formatted(pattern),
          "Maybe write 'p3.*', V100 or aws/eu-*.");
    }
  }

  /** Returns a test for listings that are excluded. */
  Predicate<Listing> test() {
    List<PlaceFilter.Test> places = new ArrayList<>();
    PlaceFilter place = new PlaceFilter(pattern);
    places.add(place.test());
    place.inAnyCloud().forEach(longer -> places.add(longer.test()));
    Pattern type = Glob.of(pattern);
    Predicate<String> gpu = new GpuFilter(pattern).test();
    return listing -> {
      Gpus gpus = listing.machine().gpus();
      return type.matcher(listing.machine().name()).matches()
          || (gpus != null && gpu.test(gpus.model().name()))
          || places.stream().anyMatch(test -> test.matches(listing.place()));
    };
  }

  /** Throws when the catalog has nothing of the kind, and names the nearest. */
  void requireKnown(Catalog catalog) {
    if (catalog.listings().stream().anyMatch(test())) {
      return;
    }
    Set<String> known = new TreeSet<>(GpuFilter.names(catalog));
    for (Listing listing : catalog.listings()) {
      known.add(listing.machine().name());
      known.add(listing.place().cloud());
      known.add(listing.place().region());
      known.add(listing.place().cloud() + "/" + listing.place().region());
    }
    throw new BadInput(
        "The catalog '%s' has no type, GPU or place '%s'.".formatted(catalog.name(), pattern),
        Suggestion.maybe(pattern, known, "Maybe see 'deepvm catalog list'."));
  }

  @Override
  public String toString() {
    return pattern;
  }
}
