package io.deepvm.places;

import io.deepvm.market.Pool;
import java.util.List;
import java.util.OptionalInt;

/** Prices and capacity of a cloud as last read; reading them never blocks. */
public interface MarketView {

  /** Returns the pools; other methods take the index of one. */
  List<Pool> pools();

  /** Returns the price of a spot node. */
  double spotUsdPerHour(int pool);

  /** Returns the price of an on-demand node. */
  double onDemandUsdPerHour(int pool);

  /** Returns how many spot nodes the pool has, rented ones included; empty if unknown. */
  OptionalInt spotCapacity(int pool);

  /** Returns the seconds between two readings of the market, in the market's time. */
  double tickSeconds();

  /** Returns milliseconds of the market's time since the run started. */
  long marketMs();
}
