package io.deepvm.simulator;

import io.deepvm.catalog.Market;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.SpotRules;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Applies a market's record to the pools: at each tick it sets prices, takes and warns nodes. */
final class MarketTicks {

  private final SpotRules rules;
  private final Pools pools;
  private final RunTime time;
  private final long[] noticeAtMs;

  MarketTicks(SpotMarket market, int firstTick, long seed, Pools pools, RunTime time) {
    this.rules = new SpotRules(market, firstTick, new SplittableRandom(seed));
    this.pools = pools;
    this.time = time;
    this.noticeAtMs = new long[pools.count()];
  }

  /** Sets the prices of the present tick and takes the nodes that the pools no longer have. */
  void enter() {
    Arrays.fill(noticeAtMs, SpotRules.NEVER);
    for (int p = 0; p < noticeAtMs.length; p++) {
      pools.reprice(p);
      rules.take(p, time.tick(), pools.held(p, Market.SPOT), pools);
    }
  }

  /** Finds the pools that will take nodes at the next tick, and when they announce it. */
  void foresee() {
    for (int p = 0; p < noticeAtMs.length; p++) {
      if (rules.falls(p, time.tick(), pools.held(p, Market.SPOT))) {
        noticeAtMs[p] = rules.noticeMs(p, time.tick());
      }
    }
  }

  /** Returns the moment of the next notice; the given one if that is earlier. */
  long nextNoticeMs(long earliest) {
    long next = earliest;
    for (long at : noticeAtMs) {
      next = Math.min(next, at);
    }
    return next;
  }

  /** Gives the notices of this moment; returns whether a node has a new one. */
  boolean giveNotices() {
    boolean warned = false;
    for (int p = 0; p < noticeAtMs.length; p++) {
      if (noticeAtMs[p] == time.nowMs()) {
        noticeAtMs[p] = SpotRules.NEVER;
        warned |= rules.warn(p, time.tick(), pools);
      }
    }
    return warned;
  }
}
