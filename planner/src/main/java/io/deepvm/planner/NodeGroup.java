package io.deepvm.planner;

import io.deepvm.catalog.Offer;
import io.deepvm.units.Money;

/** Nodes of one role rented through one offer. */
public record NodeGroup(Role role, Offer offer, int count) {

  /** What the group costs per hour. */
  public Money pricePerHour() {
    return offer.pricePerHour().times(count);
  }
}
