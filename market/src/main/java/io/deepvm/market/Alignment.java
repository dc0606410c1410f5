package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Brings several traces on one clock. */
public final class Alignment {

  private static final int MOST_TICKS = 10_000_000;

  private Alignment() {}

  /**
   * Returns the traces with one tick (the coarsest among them unless stated) and one start: over
   * the time that all of them cover when all starts are known, else from their first ticks on.
   *
   * <p>A tick made of several counts the fewest nodes of any of them, because a node must last
   * through it, and is a gap if one of them is; its price is the one it begins with.
   */
  public static List<Trace> onOneClock(List<Trace> traces, @Nullable Duration stated) {
    Duration tick = stated == null ? coarsest(traces) : stated;
    if (tick.isZero() || tick.isNegative()) {
      throw new BadInput("A tick of %s is none.".formatted(tick), "Maybe write it like 10min.");
    }
    Instant start = start(traces);
    long ticks = commonTicks(traces, tick);
    if (ticks < 1 || ticks > MOST_TICKS) {
      throw new BadInput(
          ticks < 1
              ? "The traces have no tick of %s s in common.".formatted(tick.toNanos() / 1e9)
              : "The traces would have %,d ticks of %s s.".formatted(ticks, tick.toNanos() / 1e9),
          ticks < 1
              ? "Maybe they are of different days, or the tick is too long."
              : "Maybe choose a longer tick.");
    }
    int length = (int) ticks;
    return traces.stream().map(trace -> resampled(trace, start, tick, length)).toList();
  }

  /** Whether there is a tick, of the coarsest, that all the traces cover. */
  public static boolean overlap(List<Trace> traces) {
    return commonTicks(traces, coarsest(traces)) > 0;
  }

  private static Duration coarsest(List<Trace> traces) {
    return traces.stream().map(Trace::tick).max(Comparator.naturalOrder()).orElseThrow();
  }

  private static @Nullable Instant start(List<Trace> traces) {
    boolean dated = traces.stream().allMatch(trace -> trace.start() != null);
    return dated
        ? traces.stream().map(Alignment::begin).max(Comparator.naturalOrder()).orElseThrow()
        : null;
  }

  private static long commonTicks(List<Trace> traces, Duration tick) {
    Instant start = start(traces);
    long ticks = Long.MAX_VALUE;
    for (Trace trace : traces) {
      Duration covered = length(trace).minus(skipped(trace, start));
      ticks = Math.min(ticks, covered.isNegative() ? 0 : covered.dividedBy(tick));
    }
    return ticks;
  }

  private static Instant begin(Trace trace) {
    return Objects.requireNonNull(trace.start());
  }

  private static Duration length(Trace trace) {
    return trace.tick().multipliedBy(trace.length());
  }

  private static Duration skipped(Trace trace, @Nullable Instant start) {
    return start == null ? Duration.ZERO : Duration.between(begin(trace), start);
  }

  private static Trace resampled(Trace trace, @Nullable Instant start, Duration tick, int length) {
    Duration skipped = skipped(trace, start);
    boolean sameClock =
        trace.tick().equals(tick) && skipped.isZero() && Objects.equals(trace.start(), start);
    if (sameClock) {
      return length == trace.length() ? trace : trace.window(0, length);
    }
    boolean priced = trace.spotUsdPerHour().length > 0;
    int[] counts = new int[length];
    double[] prices = new double[priced ? length : 0];
    long from = skipped.toNanos();
    long step = tick.toNanos();
    long source = trace.tick().toNanos();
    for (int t = 0; t < length; t++, from += step) {
      int first = (int) (from / source);
      int last = (int) ((from + step - 1) / source);
      // Any gap is -1, the least there is.
      counts[t] = Arrays.stream(trace.available(), first, last + 1).min().orElseThrow();
      if (priced) {
        prices[t] = trace.spotUsdPerHour()[first];
      }
    }
    return new Trace(
        trace.pool(), start, tick, counts, trace.asked(), prices, trace.onDemandUsdPerHour());
  }
}
