package io.deepvm.catalog;

import io.deepvm.units.BadInput;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What can be rented: machines by place with their prices, and the quotas that come with the list.
 *
 * @param asOf the day the prices were read; null where the source does not say
 * @param source where the prices come from, for people to read
 */
public record Catalog(
    String name,
    @Nullable LocalDate asOf,
    String source,
    List<Listing> listings,
    List<Quota> quotas) {

  public Catalog {
    listings = List.copyOf(listings);
    quotas = List.copyOf(quotas);
    if (listings.isEmpty()) {
      throw new BadInput(
          "The catalog '%s' lists nothing that can be rented.".formatted(name),
          "Maybe the file is the wrong one, or the filters leave nothing.");
    }
  }

  /** Returns the catalog with only these listings. */
  public Catalog with(List<Listing> fewer) {
    return new Catalog(name, asOf, source, fewer, quotas);
  }

  /** Returns the catalog with the day its prices were read. */
  public Catalog withAsOf(LocalDate day) {
    return new Catalog(name, day, source, listings, quotas);
  }

  /** Returns the catalog with other quotas. */
  public Catalog withQuotas(List<Quota> others) {
    return new Catalog(name, asOf, source, listings, others);
  }
}
