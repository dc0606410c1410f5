package io.deepvm.market;

import io.deepvm.units.BadInput;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of one pool, tick by tick: how many nodes could be had, and at what price.
 *
 * @param start when the first tick began; null where the source does not say
 * @param available nodes that could be had in each tick, {@link #UNKNOWN} in a gap
 * @param asked how many nodes the source asked for, the most a count can be
 * @param spotUsdPerHour price in each tick; empty where no price was recorded. Rates are real
 *     numbers as recorded; what is paid is {@code Money}
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

  /** Stands for a tick in which nobody looked. */
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
    for (int i = 0; i < available.length; i++) {
      if (available[i] != UNKNOWN && (available[i] < 0 || available[i] > asked)) {
        throw new BadInput(
            "The trace of %s counts %d nodes in tick %d, which is not between 0 and %d."
                .formatted(pool, available[i], i, asked),
            "Maybe its polarity or its column is another.");
      }
    }
    for (int i = 0; i < spotUsdPerHour.length; i++) {
      if (!(spotUsdPerHour[i] >= 0) || Double.isInfinite(spotUsdPerHour[i])) {
        throw new BadInput(
            "The trace of %s has a price of %s in tick %d, which must be a number of at least 0."
                .formatted(pool, spotUsdPerHour[i], i),
            "Maybe the price is missing there.");
      }
    }
    available = available.clone();
    spotUsdPerHour = spotUsdPerHour.clone();
  }

  /** How many ticks there are. */
  public int length() {
    return available.length;
  }

  /** Returns the ticks from one index to before another. */
  public Trace window(int from, int to) {
    return new Trace(
        pool,
        start == null ? null : start.plus(tick.multipliedBy(from)),
        tick,
        Arrays.copyOfRange(available, from, to),
        asked,
        spotUsdPerHour.length == 0 ? spotUsdPerHour : Arrays.copyOfRange(spotUsdPerHour, from, to),
        onDemandUsdPerHour);
  }
}
