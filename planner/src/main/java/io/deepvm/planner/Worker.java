package io.deepvm.planner;

import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.units.Bandwidth;
import io.deepvm.units.Numbers;
import org.jspecify.annotations.Nullable;

/**
 * A listing that can train, with all that the search needs of it in plain numbers.
 *
 * @param flopp floating-point operations per dollar at the spot price
 * @param onDemand micro-dollars per hour, or {@link #NOT_OFFERED}
 * @param spotLimit how many the quotas allow on the spot market
 */
record Worker(
    Listing listing,
    double flops,
    double flopp,
    CurveTable curve,
    long spot,
    long onDemand,
    int spotLimit,
    int onDemandLimit,
    Site site) {

  static final long NOT_OFFERED = Long.MAX_VALUE;

  private static final double SECONDS_PER_HOUR = 3600;

  /** Floating-point operations per dollar at a price in micro-dollars per hour. */
  static double floppAt(double flops, long price) {
    return flops / (price / 1e6) * SECONDS_PER_HOUR;
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

  /** Returns its offer on a market where it is known to be offered. */
  Offer offer(Market market) {
    Offer offer = listing.offer(market);
    if (offer == null) {
      throw new IllegalStateException(name() + " is not offered on the market " + market);
    }
    return offer;
  }
}
