package io.deepvm.market;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What pools cost over years, sampled on change; a price holds until the next sample. A place that
 * it does not have, such as a zone by name where it has ids, costs the median of its region.
 */
public final class PriceHistory implements Prices {

  /**
   * The samples of one pool in order of time.
   *
   * @param spot NaN where the pool was not on offer
   */
  public record Series(Pool pool, long[] epochSeconds, double[] spot, double[] onDemand) {

    /** Returns the price in force at a time; NaN before the first sample. */
    double spotAt(long time) {
      int sample = sampleAt(time);
      return sample < 0 ? Double.NaN : spot[sample];
    }

    double onDemandAt(long time) {
      int sample = sampleAt(time);
      return sample < 0 ? Double.NaN : onDemand[sample];
    }

    private int sampleAt(long time) {
      int found = Arrays.binarySearch(epochSeconds, time);
      return found >= 0 ? found : -found - 2;
    }
  }

  private final Map<Pool, Series> series;
  private final Map<Pool, List<Series>> byRegion;

  /** Makes a history of pools, each there once. */
  public PriceHistory(List<Series> all) {
    series =
        all.stream()
            .collect(
                Collectors.toMap(
                    Series::pool,
                    Function.identity(),
                    (a, b) -> a,
                    () -> new TreeMap<>(Comparator.comparing(Pool::toString))));
    byRegion = all.stream().collect(Collectors.groupingBy(s -> s.pool().regional()));
  }

  /** Returns the samples of all pools, sorted by name. */
  List<Series> series() {
    return List.copyOf(series.values());
  }

  /** Returns the pools, sorted by name. */
  public List<Pool> pools() {
    return List.copyOf(series.keySet());
  }

  @Override
  public @Nullable Double spotUsdPerHour(Pool pool, Instant time) {
    return median(pool, s -> s.spotAt(time.getEpochSecond()));
  }

  @Override
  public @Nullable Double onDemandUsdPerHour(Pool pool, Instant time) {
    return median(pool, s -> s.onDemandAt(time.getEpochSecond()));
  }

  private @Nullable Double median(Pool pool, Function<Series, Double> price) {
    Series own = series.get(pool);
    List<Series> near =
        own != null ? List.of(own) : byRegion.getOrDefault(pool.regional(), List.of());
    double[] prices =
        near.stream().mapToDouble(price::apply).filter(p -> !Double.isNaN(p)).sorted().toArray();
    int middle = prices.length / 2;
    if (prices.length == 0) {
      return null;
    }
    return prices.length % 2 == 1 ? prices[middle] : (prices[middle - 1] + prices[middle]) / 2;
  }

  /**
   * Returns the prices as traces of which no count is known, each from its first sample to its
   * last, with its last on-demand price.
   */
  public List<Trace> traces(Duration tick) {
    return series.values().stream().map(s -> trace(s, tick)).toList();
  }

  /** Returns every recorded price; the last of a pool ends its record. */
  public List<PriceCourse> courses() {
    return series.values().stream().map(PriceHistory::course).toList();
  }

  private static PriceCourse course(Series s) {
    double[] held = new double[s.spot().length];
    for (int i = 0; i + 1 < held.length; i++) {
      held[i] = s.epochSeconds()[i + 1] - s.epochSeconds()[i];
    }
    return new PriceCourse(s.pool(), s.spot(), held);
  }

  private static Trace trace(Series s, Duration tick) {
    long[] times = s.epochSeconds();
    Instant start = Instant.ofEpochSecond(times[0]);
    int ticks = (int) Duration.ofSeconds(times[times.length - 1] - times[0]).dividedBy(tick) + 1;
    int[] unknown = new int[ticks];
    Arrays.fill(unknown, Trace.UNKNOWN);
    double[] prices = new double[ticks];
    for (int t = 0; t < ticks; t++) {
      prices[t] = s.spotAt(start.plus(tick.multipliedBy(t)).getEpochSecond());
    }
    double onDemand = s.onDemand()[times.length - 1];
    return new Trace(
        s.pool(), start, tick, unknown, 1, prices, Double.isNaN(onDemand) ? null : onDemand);
  }
}
