package io.deepvm.market;

import io.deepvm.catalog.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Small traces for tests. */
final class TracesOf {

  private TracesOf() {}

  static Pool pool(String zone) {
    return new Pool(new Place("aws", "us-east-1", zone), "p3.2xlarge");
  }

  static Trace counts(String zone, int asked, int... counts) {
    double[] prices = new double[counts.length];
    Arrays.fill(prices, 1.25);
    return new Trace(pool(zone), null, Duration.ofMinutes(10), counts, asked, prices, 3.06);
  }

  static Trace unpriced(String zone, @Nullable String start, Duration tick, int... counts) {
    return new Trace(
        pool(zone),
        start == null ? null : Instant.parse(start),
        tick,
        counts,
        Math.max(1, Arrays.stream(counts).max().orElse(1)),
        new double[0],
        null);
  }
}
