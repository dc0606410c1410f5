package io.deepvm.market;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The prices of a catalog, the same at all times. A zone that the catalog does not have costs the
 * lower median of its region.
 */
public final class CatalogPrices implements Prices {

  private final Map<Pool, Listing> exact = new HashMap<>();
  private final Map<Pool, List<Listing>> byRegion = new HashMap<>();

  /** Takes the prices of a catalog. */
  public CatalogPrices(Catalog catalog) {
    for (Listing listing : catalog.listings()) {
      Pool pool = new Pool(listing.place(), listing.machine().name());
      exact.put(pool, listing);
      byRegion.computeIfAbsent(pool.regional(), p -> new ArrayList<>()).add(listing);
    }
  }

  @Override
  public @Nullable Double spotUsdPerHour(Pool pool, Instant time) {
    return price(pool, Market.SPOT);
  }

  @Override
  public @Nullable Double onDemandUsdPerHour(Pool pool, Instant time) {
    return price(pool, Market.ON_DEMAND);
  }

  private @Nullable Double price(Pool pool, Market market) {
    Listing own = exact.get(pool);
    List<Listing> near =
        own != null ? List.of(own) : byRegion.getOrDefault(pool.regional(), List.of());
    List<Money> prices =
        near.stream().map(l -> l.price(market)).filter(Objects::nonNull).sorted().toList();
    return prices.isEmpty() ? null : prices.get((prices.size() - 1) / 2).dollars();
  }
}
