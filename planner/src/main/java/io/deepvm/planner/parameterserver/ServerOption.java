package io.deepvm.planner.parameterserver;

import io.deepvm.catalog.Offer;
import io.deepvm.units.Bandwidth;
import io.deepvm.units.Money;

/** So many parameter servers of one kind. */
public record ServerOption(Offer offer, int count) {

  /** Their bandwidth together. */
  public Bandwidth bandwidth() {
    Bandwidth one = offer.machine().network();
    if (one == null) {
      throw new IllegalStateException("servers are chosen among machines of known network");
    }
    return new Bandwidth(one.bitsPerSecond() * count);
  }

  /** Their price together. */
  public Money pricePerHour() {
    return offer.pricePerHour().times(count);
  }
}
