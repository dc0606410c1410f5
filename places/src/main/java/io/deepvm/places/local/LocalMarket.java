package io.deepvm.places.local;

import io.deepvm.market.Pool;
import io.deepvm.places.MarketView;
import java.time.Clock;
import java.util.List;
import java.util.OptionalInt;

/** The market of this machine: nodes cost nothing, and no node is ever taken. */
final class LocalMarket implements MarketView {

  private static final double DAY_SECONDS = 24 * 3600;

  private final List<Pool> pools;
  private final int limit;
  private final Clock clock;
  private long beginMs;

  LocalMarket(List<Pool> pools, int limit, Clock clock) {
    this.pools = pools;
    this.limit = limit;
    this.clock = clock;
    begin(0);
  }

  /** Lets the market's time go on from here. */
  void begin(long marketMs) {
    beginMs = clock.millis() - marketMs;
  }

  @Override
  public List<Pool> pools() {
    return pools;
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return 0;
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return 0;
  }

  @Override
  public OptionalInt spotCapacity(int pool) {
    return OptionalInt.of(limit);
  }

  @Override
  public double tickSeconds() {
    return DAY_SECONDS;
  }

  @Override
  public long marketMs() {
    return clock.millis() - beginMs;
  }
}
