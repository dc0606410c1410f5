package io.deepvm.places.aws.fake;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The bill of the fake EC2. It goes second by second, on purpose another way than the ledger: each
 * second at the price of its beginning, and at least a minute.
 */
final class FakeMeter {

  private FakeMeter() {}

  /** Returns what an instance has cost in micro-dollars until now. */
  static long micros(FakeInstance instance, FakeMarket market, long nowMs) {
    long until = Math.min(nowMs, instance.stoppingMs);
    BigDecimal total = BigDecimal.ZERO;
    long seconds = 0;
    for (long at = instance.launchMs; at < until || seconds < 60; at += 1000) {
      long moment = Math.min(at, Math.max(instance.launchMs, until - 1));
      long rate =
          instance.isSpot()
              ? market.spotMicros(instance.pool(), until > at ? at : moment)
              : market.onDemandMicros(instance.type());
      total = total.add(BigDecimal.valueOf(rate));
      seconds++;
    }
    return total.divide(BigDecimal.valueOf(3600), 0, RoundingMode.HALF_UP).longValueExact();
  }
}
