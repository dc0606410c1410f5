package io.deepvm.cluster.link;

import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/** The newest orders that an agent received, kept until a listener wants them. */
final class OrdersInbox {

  private @Nullable AgentOrders newest;
  private CoordinatorLink.@Nullable Listener listener;

  /** Passes on what arrives from now on, and the newest orders so far. */
  void start(CoordinatorLink.Listener to) {
    AgentOrders known;
    synchronized (this) {
      listener = to;
      known = newest;
    }
    if (known != null) {
      to.orders(known);
    }
  }

  /** Takes orders, new or old. */
  void take(AgentOrders orders) {
    CoordinatorLink.Listener to;
    synchronized (this) {
      if (newest == null || !orders.isOlderThan(newest)) {
        newest = orders;
      }
      to = listener;
    }
    if (to != null) {
      to.orders(orders);
    }
  }

  /** Takes a sign of life for the newest orders, or refuses one for others. */
  void take(LinkMessage.Alive alive) {
    AgentOrders known;
    synchronized (this) {
      known = newest;
    }
    if (known == null || known.epoch() != alive.epoch() || known.version() != alive.version()) {
      throw new BadInput(
          "The agent does not have the orders %d of coordinator %d."
              .formatted(alive.version(), alive.epoch()),
          "Maybe send the orders again.");
    }
    take(known);
  }

  /** Takes the receipt for output. */
  void take(LinkMessage.Received received) {
    CoordinatorLink.Listener to;
    synchronized (this) {
      to = listener;
    }
    if (to != null) {
      to.received(received.number());
    }
  }
}
