package io.deepvm.planner;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import org.jspecify.annotations.Nullable;

/**
 * A listing that can train, rented on one market, with all that the search needs of it in plain
 * numbers.
 *
 * @param market on which it is rented as a worker
 * @param flopp floating-point operations per dollar at the price on that market
 * @param own the terms on that market
 * @param onDemand the terms of one that stays; null where it is not offered
 */
record Worker(
    Listing listing,
    Market market,
    double flops,
    double flopp,
    CurveTable curve,
    Terms own,
    @Nullable Terms onDemand,
    Site site) {

  /**
   * How a machine is offered on a market.
   *
   * @param price micro-dollars per hour
   * @param limit how many the quotas allow
   */
  record Terms(long price, int limit) {}

  private static final double SECONDS_PER_HOUR = 3600;

  /** Floating-point operations per dollar at a price in micro-dollars per hour. */
  static double floppAt(double flops, long price) {
    return flops / (price / 1e6) * SECONDS_PER_HOUR;
  }

  /** Micro-dollars per hour of one. */
  long price() {
    return own.price();
  }

  /** How many the quotas allow. */
  int limit() {
    return own.limit();
  }

  /** Whether the cloud may take it back. */
  boolean isSpot() {
    return market == Market.SPOT;
  }

  /** FLOPS of n of them after scaling losses. */
  double speed(int nodes) {
    return flops * curve.speedup(nodes);
  }

  /** DeepVM's Z for n of them. */
  double z(int nodes) {
    return flopp * curve.effectiveNodes(nodes);
  }

  @Nullable Bandwidth network() {
    return listing.machine().network();
  }

  /** Prints a speed or a ratio of it, plainly where the catalog has a unit of its own. */
  String print(double value, String unit) {
    return listing.machine().statedFlops() == null
        ? Numbers.scaled(value, unit)
        : Numbers.print(value) + " " + unit;
  }

  String name() {
    return listing.machine().name();
  }

  /** Returns its offer as a worker. */
  Offer offer() {
    return offer(market);
  }

  /** Returns its offer on a market where it is known to be offered. */
  Offer offer(Market market) {
    Offer offer = listing.offer(market);
    if (offer == null) {
      throw new IllegalStateException(name() + " is not offered on the market " + market);
    }
    return offer;
  }
}
