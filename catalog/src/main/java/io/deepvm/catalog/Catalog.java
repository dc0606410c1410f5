package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.time.LocalDate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What can be rented: machines by place with their prices, and the quotas that come with the list.
 *
 * @param source where the prices come from, for people to read
 */
public record Catalog(
    String name, String source, PriceDates dates, List<Listing> listings, List<Quota> quotas) {

  public Catalog {
    listings = List.copyOf(listings);
    quotas = List.copyOf(quotas);
    if (listings.isEmpty()) {
      throw new BadInput(
          "The catalog '%s' lists nothing that can be rented.".formatted(name),
          "Maybe the file is the wrong one, or the filters leave nothing.");
    }
  }

  /** Makes a catalog whose prices were all read on one day; null where it is unknown. */
  public Catalog(
      String name,
      @Nullable LocalDate asOf,
      String source,
      List<Listing> listings,
      List<Quota> quotas) {
    this(name, source, PriceDates.of(asOf), listings, quotas);
  }

  /** Returns the day the prices were read; null where the source does not say. */
  public @Nullable LocalDate asOf() {
    return dates.usual();
  }

  /** Returns the names of the clouds, in order. */
  public SortedSet<String> clouds() {
    SortedSet<String> clouds = new TreeSet<>();
    listings.forEach(listing -> clouds.add(listing.place().cloud()));
    return clouds;
  }

  /** Returns the catalog with only these listings. */
  public Catalog with(List<Listing> fewer) {
    return new Catalog(name, source, dates, fewer, quotas);
  }

  /** Returns the catalog with the day its prices were read. */
  public Catalog withAsOf(LocalDate day) {
    return with(PriceDates.of(day));
  }

  /** Returns the catalog with other dates of its prices. */
  public Catalog with(PriceDates others) {
    return new Catalog(name, source, others, listings, quotas);
  }

  /** Returns the catalog with other quotas. */
  public Catalog withQuotas(List<Quota> others) {
    return new Catalog(name, source, dates, listings, others);
  }

  /**
   * Returns what is listed in any of the places, all of it when there are none; a place where
   * nothing is listed is refused, because it is most likely misspelt.
   */
  public List<Listing> in(List<PlaceFilter> places) {
    if (places.isEmpty()) {
      return listings;
    }
    Set<Place> distinct = places();
    Set<Place> wanted = new HashSet<>();
    for (PlaceFilter filter : resolved(places)) {
      PlaceFilter.Test test = filter.test();
      distinct.stream().filter(test::matches).forEach(wanted::add);
    }
    return listings.stream().filter(listing -> wanted.contains(listing.place())).toList();
  }

  /**
   * Returns the filters with their cloud in front: "us-east-1" becomes "aws/us-east-1" where one
   * cloud alone has such a region or zone. A filter that matches nothing, or places of several
   * clouds, is refused.
   */
  public List<PlaceFilter> resolved(List<PlaceFilter> filters) {
    if (filters.isEmpty()) {
      return filters;
    }
    Set<Place> distinct = places();
    return filters.stream().map(filter -> resolved(filter, distinct)).toList();
  }

  private PlaceFilter resolved(PlaceFilter filter, Set<Place> distinct) {
    if (distinct.stream().anyMatch(filter.test()::matches)) {
      return filter;
    }
    Set<String> meant = new TreeSet<>();
    for (PlaceFilter longer : filter.inAnyCloud()) {
      if (!meant.isEmpty()) {
        break;
      }
      PlaceFilter.Test test = longer.test();
      distinct.stream()
          .filter(test::matches)
          .forEach(place -> meant.add(longer.pattern().replaceFirst("\\*", place.cloud())));
    }
    if (meant.size() == 1) {
      return new PlaceFilter(meant.iterator().next());
    }
    if (!meant.isEmpty()) {
      throw new BadInput(
          "The place '%s' is ambiguous: several clouds have it.".formatted(filter.pattern()),
          "Maybe you meant %s.".formatted(String.join(" or ", meant)));
    }
    throw new BadInput(
        "The catalog '%s' has nothing in '%s'.".formatted(name, filter.pattern()),
        Suggestion.maybe(
            filter.pattern(),
            names(distinct, filter.pattern().split("/", -1).length),
            "Maybe it has another name there: 'deepvm catalog status' lists the clouds."));
  }

  private Set<Place> places() {
    Set<Place> distinct = new HashSet<>();
    listings.forEach(listing -> distinct.add(listing.place()));
    return distinct;
  }

  private static Set<String> names(Set<Place> places, int parts) {
    Set<String> names = new TreeSet<>();
    for (Place place : places) {
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
