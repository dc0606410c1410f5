package io.deepvm.market.samples;

import io.deepvm.base.BadInput;
import io.deepvm.market.Pool;
import io.deepvm.market.PriceCourse;
import io.deepvm.market.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of one pool, in order of time. On a regular clock a sample stands for the tick
 * whose beginning it is nearest to; a tick without one is a gap.
 */
public final class Samples {

  private static final int MOST_TICKS = 10_000_000;
  private static final long NANOS = 1_000_000_000L;

  private final Pool pool;
  private final String where;
  private final boolean dated;
  private long[] nanos = new long[64];
  private int[] counts = new int[64];
  private double[] prices = new double[64];
  private int size;
  private int asked;
  private @Nullable Double onDemand;
  private boolean onDemandMoved;
  private int crowded;

  /** Begins a pool; the times are since 1970 when they are dated, else since an unknown start. */
  public Samples(Pool pool, String where, boolean dated) {
    this.pool = pool;
    this.where = where;
    this.dated = dated;
  }

  /** Returns the nanoseconds since 1970, for the years that a trace can be of. */
  public static long nanos(Instant time) {
    return Math.addExact(Math.multiplyExact(time.getEpochSecond(), NANOS), time.getNano());
  }

  /** Returns the nearest whole second: probes that are minutes apart start late by milliseconds. */
  public static long wholeSeconds(long time) {
    return Math.floorDiv(time + NANOS / 2, NANOS) * NANOS;
  }

  /** Whether the times say a day. */
  public boolean dated() {
    return dated;
  }

  /** Adds a sample; the count may be unknown and the price NaN. */
  public void add(long time, int count, double price) {
    if (size > 0 && time <= nanos[size - 1]) {
      throw new BadInput(
          "%s: a sample of %s is not after the one before it.".formatted(where, pool),
          "Maybe sort the rows by time, or remove one that is there twice.");
    }
    if (size == nanos.length) {
      nanos = Arrays.copyOf(nanos, size * 2);
      counts = Arrays.copyOf(counts, size * 2);
      prices = Arrays.copyOf(prices, size * 2);
    }
    nanos[size] = time;
    counts[size] = count;
    prices[size] = price;
    size++;
    asked = Math.max(asked, count);
  }

  /** States how many nodes were asked for. */
  public void askedFor(int nodes) {
    asked = Math.max(asked, nodes);
  }

  /** States the on-demand price; the last one holds. */
  public void onDemand(double price) {
    onDemandMoved |= onDemand != null && onDemand != price;
    onDemand = price;
  }

  /** Whether several on-demand prices were stated. */
  public boolean onDemandMoved() {
    return onDemandMoved;
  }

  /** Returns the usual time between two samples, the median; null when there is only one. */
  public @Nullable Duration usualStep() {
    if (size < 2) {
      return null;
    }
    long[] steps = new long[size - 1];
    for (int i = 1; i < size; i++) {
      steps[i - 1] = nanos[i] - nanos[i - 1];
    }
    Arrays.sort(steps);
    return Duration.ofNanos(steps[steps.length / 2]);
  }

  /**
   * Returns all prices that were seen, also those that give way to a later one in their tick. Each
   * holds for the usual time between two samples, at most a tick.
   */
  public PriceCourse prices(Duration tick) {
    Duration usual = usualStep();
    Duration step = usual == null || usual.compareTo(tick) > 0 ? tick : usual;
    return PriceCourse.sampled(pool, Arrays.copyOf(prices, size), step.toNanos() / 1e9);
  }

  /** Returns how many samples had to give way to a later one in their tick. */
  public int crowded() {
    return crowded;
  }

  /** Returns the samples on a regular clock; of several in a tick the last holds. */
  public Trace trace(Duration tick) {
    long step = tick.toNanos();
    long first = nanos[0];
    long ticks = (nanos[size - 1] - first + step / 2) / step + 1;
    if (ticks > MOST_TICKS) {
      throw new BadInput(
          "%s: %s would have %,d ticks of %s s."
              .formatted(where, pool, ticks, tick.toNanos() / 1e9),
          "Maybe choose a longer tick.");
    }
    int[] available = new int[(int) ticks];
    double[] spot = new double[(int) ticks];
    Arrays.fill(available, Trace.UNKNOWN);
    Arrays.fill(spot, Double.NaN);
    int last = -1;
    crowded = 0;
    for (int i = 0; i < size; i++) {
      int at = (int) Math.max(0, (nanos[i] - first + step / 2) / step);
      crowded += at == last ? 1 : 0;
      last = at;
      available[at] = counts[i];
      spot[at] = prices[i];
    }
    Instant start = dated ? Instant.EPOCH.plusNanos(first) : null;
    return new Trace(pool, start, tick, available, Math.max(1, asked), spot, onDemand);
  }
}
