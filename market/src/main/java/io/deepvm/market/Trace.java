package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of one pool, tick by tick: how many nodes could be had, and at what price.
 *
 * @param start when the first tick began; null where the source does not say
 * @param available nodes that could be had in each tick, {@link #UNKNOWN} in a gap
 * @param asked how many nodes the source asked for, the most a count can be
 * @param spotUsdPerHour price in each tick, NaN in a gap; empty where no price was recorded. Rates
 *     are real numbers as recorded; what is paid is {@code Money}
 * @param onDemandUsdPerHour the price of a node that stays; null where it was not recorded
 */
public record Trace(
    Pool pool,
    @Nullable Instant start,
    Duration tick,
    int[] available,
    int asked,
    double[] spotUsdPerHour,
    @Nullable Double onDemandUsdPerHour) {

  /** Stands for a tick without an observation. */
  public static final int UNKNOWN = -1;

  public Trace {
    if (available.length == 0) {
      throw new BadInput(
          "The trace of %s has no ticks.".formatted(pool), "Maybe the file was cut short.");
    }
    if (tick.isNegative() || tick.isZero()) {
      throw new BadInput(
          "The trace of %s has ticks of %s.".formatted(pool, tick),
          "Maybe state the seconds between two samples.");
    }
    if (spotUsdPerHour.length != 0 && spotUsdPerHour.length != available.length) {
      throw new BadInput(
          "The trace of %s has %,d counts and %,d prices."
              .formatted(pool, available.length, spotUsdPerHour.length),
          "Maybe give one price per count, or none.");
    }
    if (asked < 1) {
      throw new BadInput(
          "The trace of %s asked for %d nodes.".formatted(pool, asked),
          "Maybe state at least one.");
    }
    for (int i = 0; i < available.length; i++) {
      if (available[i] != UNKNOWN && (available[i] < 0 || available[i] > asked)) {
        throw new BadInput(
            "The trace of %s counts %d nodes in tick %d, which is not between 0 and %d."
                .formatted(pool, available[i], i, asked),
            "Maybe its polarity or its column is another.");
      }
    }
    for (int i = 0; i < spotUsdPerHour.length; i++) {
      if (spotUsdPerHour[i] < 0 || Double.isInfinite(spotUsdPerHour[i])) {
        throw new BadInput(
            "The trace of %s has a price of %s in tick %d, which must be a number of at least 0."
                .formatted(pool, spotUsdPerHour[i], i),
            "Maybe the price is missing there.");
      }
    }
    if (onDemandUsdPerHour != null
        && !(onDemandUsdPerHour >= 0 && Double.isFinite(onDemandUsdPerHour))) {
      throw new BadInput(
          "The trace of %s has an on-demand price of %s, which must be a number of at least 0."
              .formatted(pool, onDemandUsdPerHour),
          "Maybe leave it out where it is not known.");
    }
    available = available.clone();
    spotUsdPerHour =
        Arrays.stream(spotUsdPerHour).allMatch(Double::isNaN)
            ? new double[0]
            : spotUsdPerHour.clone();
  }

  /** How many ticks there are. */
  public int length() {
    return available.length;
  }

  /** Returns the number of ticks without an observation. */
  public int gaps() {
    int gaps = 0;
    for (int count : available) {
      gaps += count == UNKNOWN ? 1 : 0;
    }
    return gaps;
  }

  /** How long one tick is. */
  public double tickSeconds() {
    return tick.toNanos() / 1e9;
  }

  /** Returns the same counts with other prices. */
  public Trace priced(double[] spot, @Nullable Double onDemand) {
    return new Trace(pool, start, tick, available, asked, spot, onDemand);
  }

  /** Returns the same counts, out of another number of requested nodes. */
  public Trace askedFor(int nodes) {
    return new Trace(pool, start, tick, available, nodes, spotUsdPerHour, onDemandUsdPerHour);
  }

  /** Returns the same trace, begun at this time. */
  public Trace startingAt(Instant time) {
    return new Trace(pool, time, tick, available, asked, spotUsdPerHour, onDemandUsdPerHour);
  }

  /**
   * Returns what it would have been if another number of nodes had been asked for: each count in
   * proportion, rounded to the nearest; none stays none and all stays all.
   */
  public Trace scaled(int nodes) {
    int[] scaled = new int[available.length];
    for (int i = 0; i < scaled.length; i++) {
      scaled[i] =
          available[i] == UNKNOWN
              ? UNKNOWN
              : (int) Math.round((double) available[i] * nodes / asked);
    }
    return new Trace(pool, start, tick, scaled, nodes, spotUsdPerHour, onDemandUsdPerHour);
  }

  /**
   * Returns the trace without gaps. A missing price is the last one seen, before the first sight
   * the first, because a price says nothing of whether nodes could be had.
   */
  public Trace filled(GapRule rule) {
    int[] counts = available.clone();
    double[] prices = spotUsdPerHour.clone();
    for (int i = 0; i < counts.length; i++) {
      boolean priceless = prices.length > 0 && Double.isNaN(prices[i]);
      if (rule == GapRule.REFUSE && (counts[i] == UNKNOWN || priceless)) {
        throw new BadInput(
            "The trace of %s has a gap at tick %d.".formatted(pool, i),
            "Maybe take gaps for 'unavailable' or for the 'last' count seen.");
      }
      if (counts[i] == UNKNOWN) {
        counts[i] = rule == GapRule.LAST && i > 0 ? counts[i - 1] : 0;
      }
      if (priceless && i > 0) {
        prices[i] = prices[i - 1];
      }
    }
    for (int i = prices.length - 2; i >= 0; i--) {
      if (Double.isNaN(prices[i])) {
        prices[i] = prices[i + 1];
      }
    }
    return new Trace(pool, start, tick, counts, asked, prices, onDemandUsdPerHour);
  }

  /** Returns the ticks from one index to before another. */
  public Trace window(int from, int to) {
    if (from < 0 || to > available.length || from >= to) {
      throw new BadInput(
          "The trace of %s has %,d ticks, so there is no window from %,d to before %,d."
              .formatted(pool, available.length, from, to),
          "Maybe choose one inside it.");
    }
    return new Trace(
        pool,
        start == null ? null : start.plus(tick.multipliedBy(from)),
        tick,
        Arrays.copyOfRange(available, from, to),
        asked,
        spotUsdPerHour.length == 0 ? spotUsdPerHour : Arrays.copyOfRange(spotUsdPerHour, from, to),
        onDemandUsdPerHour);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Trace that
        && pool.equals(that.pool)
        && Objects.equals(start, that.start)
        && tick.equals(that.tick)
        && Arrays.equals(available, that.available)
        && asked == that.asked
        && Arrays.equals(spotUsdPerHour, that.spotUsdPerHour)
        && Objects.equals(onDemandUsdPerHour, that.onDemandUsdPerHour);
  }

  @Override
  public int hashCode() {
    return Objects.hash(pool, start, tick, asked, Arrays.hashCode(available));
  }
}
