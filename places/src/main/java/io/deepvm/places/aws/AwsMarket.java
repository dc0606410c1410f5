package io.deepvm.places.aws;

import io.deepvm.market.Pool;
import io.deepvm.places.MarketView;
import java.time.Clock;
import java.util.List;
import java.util.OptionalInt;

/** Prices as EC2 stated them last; how many instances a pool has is not known. */
final class AwsMarket implements MarketView {

  private static final double TICK_SECONDS = 300;

  private final AwsSettings settings;
  private final Clock clock;
  private final List<Pool> pools;
  private final long[] spotMicros;
  private long beginMs;

  AwsMarket(AwsSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.pools = settings.poolsOfRun();
    this.spotMicros =
        settings.pools().stream().mapToLong(AwsSettings.Offered::spotMicros).toArray();
    this.beginMs = clock.millis();
  }

  void begin(long marketMs) {
    beginMs = clock.millis() - marketMs;
  }

  /** Takes a price; returns whether it is another one. */
  boolean price(int pool, long micros) {
    boolean other = spotMicros[pool] != micros;
    spotMicros[pool] = micros;
    return other;
  }

  @Override
  public List<Pool> pools() {
    return pools;
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return spotMicros[pool] / 1e6;
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return settings.pools().get(pool).onDemandMicros() / 1e6;
  }

  @Override
  public OptionalInt spotCapacity(int pool) {
    return OptionalInt.empty();
  }

  @Override
  public double tickSeconds() {
    return TICK_SECONDS;
  }

  @Override
  public long marketMs() {
    return clock.millis() - beginMs;
  }
}
