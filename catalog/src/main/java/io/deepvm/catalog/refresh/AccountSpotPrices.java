package io.deepvm.catalog.refresh;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Listing;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Spot prices of a region as an account on the cloud states them. */
public final class AccountSpotPrices {

  /**
   * A price as the cloud writes it.
   *
   * @param zone the zone's name that is the same in all accounts
   */
  public record Stated(String zone, String type, String usd) {}

  private AccountSpotPrices() {}

  /**
   * Returns all known listings of the cloud, those of the region with the spot prices that were
   * stated. A machine without a stated price has no spot market there now.
   */
  public static FreshPrices of(List<Listing> known, String region, List<Stated> stated) {
    List<RefusedPrice> refused = new ArrayList<>();
    Map<String, Money> prices = new TreeMap<>();
    for (Stated each : stated) {
      Money price = price(each.usd());
      if (price.isPositive()) {
        prices.put(each.zone() + " " + each.type(), price);
      } else {
        refused.add(
            new RefusedPrice(
                "%s in %s, spot".formatted(each.type(), each.zone()),
                "'%s' is no price".formatted(each.usd())));
      }
    }
    List<Listing> listings = new ArrayList<>();
    for (Listing each : known) {
      if (each.place().region().equals(region)) {
        Money spot = prices.get(each.place().zone() + " " + each.machine().name());
        if (spot != null || each.onDemand() != null) {
          listings.add(new Listing(each.machine(), each.place(), spot, each.onDemand()));
        }
      } else {
        listings.add(each);
      }
    }
    if (prices.isEmpty()) {
      throw new BadInput(
          "The account states no spot price in %s.".formatted(region),
          "Maybe the region has another name, or the catalog lists none of its machines.");
    }
    return new FreshPrices(listings, refused);
  }

  private static Money price(String usd) {
    try {
      return Money.parse(usd);
    } catch (BadInput e) {
      return Money.ZERO;
    }
  }
}
