package io.deepvm.places.recorded;

import io.deepvm.catalog.Market;
import io.deepvm.market.SpotRules;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import org.jspecify.annotations.Nullable;

/** A node that the place below has, or is asked for. */
final class Rental {

  /** Who announced that the node will be taken, by the reason that a run logs. */
  enum Notifier {
    MARKET("the market will take it"),
    SCRIPT("the script will take it"),
    HAZARD("its time is over soon");

    private final String reason;

    Notifier(String reason) {
      this.reason = reason;
    }

    String reason() {
      return reason;
    }

    /** Returns the notifier that gives this reason; null if none does. */
    static @Nullable Notifier of(@Nullable String reason) {
      for (Notifier notifier : values()) {
        if (notifier.reason.equals(reason)) {
          return notifier;
        }
      }
      return null;
    }
  }

  private final Order order;
  private final long rentedMs;
  private final boolean answered;
  private @Nullable Notifier notifier;
  private @Nullable String taken;
  private boolean ending;

  /**
   * Creates a rental.
   *
   * @param rentedMs when it was ordered, in the market's time
   * @param answered whether the run knows that the place has it
   */
  Rental(Order order, long rentedMs, boolean answered, @Nullable Notifier notifier) {
    this.order = order;
    this.rentedMs = rentedMs;
    this.answered = answered;
    this.notifier = notifier;
  }

  /** Returns the rental of a node that a run already holds. */
  static Rental of(Tenancy.Held held) {
    return new Rental(
        held.order(), held.rentedMs(), held.handle() != null, Notifier.of(held.notice()));
  }

  String node() {
    return order.node();
  }

  int pool() {
    return order.pool();
  }

  boolean isSpot() {
    return order.market() == Market.SPOT;
  }

  double rentedSeconds() {
    return rentedMs / 1000.0;
  }

  boolean answered() {
    return answered;
  }

  /** Whether the market still counts the node: nobody ends it. */
  boolean counts() {
    return taken == null && !ending;
  }

  @Nullable Notifier notifier() {
    return notifier;
  }

  void notifiedBy(@Nullable Notifier by) {
    notifier = by;
  }

  SpotRules.Warning warning() {
    return notifier == null
        ? SpotRules.Warning.NONE
        : notifier == Notifier.MARKET ? SpotRules.Warning.MARKET : SpotRules.Warning.OTHER;
  }

  /** Returns why the market took the node; null if it did not. */
  @Nullable String taken() {
    return taken;
  }

  void take(String reason) {
    taken = reason;
  }

  /** The owner ends the node itself. */
  void end() {
    ending = true;
  }
}
