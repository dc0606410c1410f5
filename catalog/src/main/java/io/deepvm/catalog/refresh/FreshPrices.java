package io.deepvm.catalog.refresh;

import io.deepvm.catalog.Listing;
import java.util.List;

/** What a source lists now, and the rows of it that are not believed. */
public record FreshPrices(List<Listing> listings, List<RefusedPrice> refused) {
  public FreshPrices {
    listings = List.copyOf(listings);
    refused = List.copyOf(refused);
  }
}
