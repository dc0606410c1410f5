package io.deepvm.planner;

import io.deepvm.base.Money;
import io.deepvm.catalog.Offer;

/** Nodes of one role rented through one offer. */
public record NodeGroup(Role role, Offer offer, int count) {

  /** What the group costs per hour. */
  public Money pricePerHour() {
    return offer.pricePerHour().times(count);
  }
}
