package io.deepvm.places.ledger;

import java.util.List;

/** What a machine costs whose price changes: each second at the price of its beginning. */
public final class Tariff {

  private static final long MS_PER_SECOND = 1000;
  private static final long SECONDS_PER_HOUR = 3600;

  private Tariff() {}

  /** A price from a moment on. */
  public record Price(long fromMs, long microsPerHour) {}

  /**
   * Returns the cost in micro-dollars, rounded once.
   *
   * @param prices in the order of time; the first also counts before its moment
   * @param leastSeconds the least that is paid for
   */
  public static long micros(List<Price> prices, long sinceMs, long untilMs, long leastSeconds) {
    if (prices.isEmpty()) {
      throw new IllegalArgumentException("A tariff needs a price.");
    }
    long lived = Math.max(0, untilMs - sinceMs);
    long seconds = Math.max(leastSeconds, (lived + MS_PER_SECOND - 1) / MS_PER_SECOND);
    long total = 0;
    long done = 0;
    for (int i = 0; i < prices.size() && done < seconds; i++) {
      long next = i + 1 < prices.size() ? prices.get(i + 1).fromMs() : Long.MAX_VALUE;
      long end =
          next == Long.MAX_VALUE
              ? seconds
              : Math.min(seconds, Math.max(0, ceilSeconds(next - sinceMs)));
      if (end > done) {
        total += prices.get(i).microsPerHour() * (end - done);
        done = end;
      }
    }
    return (total + SECONDS_PER_HOUR / 2) / SECONDS_PER_HOUR;
  }

  private static long ceilSeconds(long ms) {
    return Math.floorDiv(ms + MS_PER_SECOND - 1, MS_PER_SECOND);
  }
}
