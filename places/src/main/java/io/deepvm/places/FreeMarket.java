package io.deepvm.places;

import io.deepvm.market.Pool;
import java.time.Clock;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntUnaryOperator;

/** The market of machines that the user has: nodes cost nothing, and no node is ever taken. */
public final class FreeMarket implements MarketView {

  private static final double DAY_SECONDS = 24 * 3600;

  private final List<Pool> pools;
  private final IntUnaryOperator capacity;
  private final Clock clock;
  private long beginMs;

  /**
   * Creates a market that begins now.
   *
   * @param capacity the most nodes of a pool
   */
  public FreeMarket(List<Pool> pools, IntUnaryOperator capacity, Clock clock) {
    this.pools = List.copyOf(pools);
    this.capacity = capacity;
    this.clock = clock;
    begin(0);
  }

  /** Lets the market's time go on from here. */
  public void begin(long marketMs) {
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
    return OptionalInt.of(capacity.applyAsInt(pool));
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
