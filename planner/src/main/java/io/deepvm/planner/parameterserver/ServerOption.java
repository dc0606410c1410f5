package io.deepvm.planner.parameterserver;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Offer;

/** A number of equal parameter servers. */
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
