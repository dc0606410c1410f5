package io.deepvm.places.aws;

import io.deepvm.places.News;
import java.util.Map;

/** Reads the spot prices of a run's pools every 5 min. */
final class PriceWatch {

  private static final long PAUSE_MICROS = 300_000_000;

  private final Rentals rentals;
  private final AwsMarket market;
  private final OwnerThread owner;

  PriceWatch(Rentals rentals, AwsMarket market, OwnerThread owner) {
    this.rentals = rentals;
    this.market = market;
    this.owner = owner;
  }

  /** Reads them from now on, first after a pause: they were read before the run. */
  void begin() {
    owner.later(PAUSE_MICROS, this::read);
  }

  private void read() {
    owner.aside(
        () -> {
          Map<Integer, Long> prices = rentals.prices();
          owner.later(0, () -> prices.forEach(this::read));
        },
        () -> {});
    begin();
  }

  private void read(int pool, long micros) {
    if (market.price(pool, micros)) {
      owner.report(new News.Priced(pool, micros));
    }
  }
}
