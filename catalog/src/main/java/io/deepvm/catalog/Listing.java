package io.deepvm.catalog;

import io.deepvm.base.Money;
import org.jspecify.annotations.Nullable;

/** A machine in a place with its prices per hour; a market where it cannot be rented is null. */
public record Listing(
    Machine machine, Place place, @Nullable Money spot, @Nullable Money onDemand) {

  /** What makes a listing the only one of its kind in a catalog. */
  public record Key(Place place, String instanceType) {}

  /** Returns what no other listing of the catalog may share. */
  public Key key() {
    return new Key(place, machine.name());
  }

  /** Returns the price on a market, or null where it is not offered. */
  public @Nullable Money price(Market market) {
    return market == Market.SPOT ? spot : onDemand;
  }

  /** Returns the offer on a market, or null where there is none. */
  public @Nullable Offer offer(Market market) {
    Money price = price(market);
    return price == null ? null : new Offer(machine, place, market, price);
  }
}
