package io.deepvm.cluster.simulation;

import io.deepvm.market.Pool;
import io.deepvm.places.MarketView;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** A market of two pools, whose time is the simulated one. */
record SimMarket(LongSupplier ms, double tickSeconds) implements MarketView {

  @Override
  public List<Pool> pools() {
    return SimCloud.POOLS;
  }

  @Override
  public double spotUsdPerHour(int pool) {
    return 0.1 * (pool + 1);
  }

  @Override
  public double onDemandUsdPerHour(int pool) {
    return pool + 1;
  }

  @Override
  public OptionalInt spotCapacity(int pool) {
    return OptionalInt.empty();
  }

  @Override
  public long marketMs() {
    return ms.getAsLong();
  }
}
