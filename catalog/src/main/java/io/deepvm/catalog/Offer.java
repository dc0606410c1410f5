package io.deepvm.catalog;

import io.deepvm.base.Money;

/** One instance type, in one place, on one market, at a price. */
public record Offer(Machine machine, Place place, Market market, Money pricePerHour) {

  @Override
  public String toString() {
    return "%s %s in %s at %s/h".formatted(machine.name(), market, place, pricePerHour);
  }
}
