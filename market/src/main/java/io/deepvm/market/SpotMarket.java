package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Several pools on one clock: in every tick, how many spot nodes each has, and what they cost.
 *
 * <p>Everything is known here: gaps are filled and prices stated. Ticks are equally long. A window
 * shares the arrays of the market it is cut from, so that many are cheap.
 */
public final class SpotMarket {

  private final List<Pool> pools;
  private final @Nullable Instant start;
  private final double tickSeconds;
  private final int offset;
  private final int ticks;
  // Which recorded column stands in each tick; null where they stand as they were recorded.
  private final int @Nullable [] columns;
  private final int[][] available;
  private final double[][] spotUsdPerHour;
  private final double[] onDemandUsdPerHour;
  private final Notice[] notices;
  private final double[] crashesPerNodeHour;

  private SpotMarket(
      List<Pool> pools,
      @Nullable Instant start,
      double tickSeconds,
      int offset,
      int ticks,
      int @Nullable [] columns,
      int[][] available,
      double[][] spotUsdPerHour,
      double[] onDemandUsdPerHour,
      Notice[] notices,
      double[] crashesPerNodeHour) {
    this.pools = pools;
    this.start = start;
    this.tickSeconds = tickSeconds;
    this.offset = offset;
    this.ticks = ticks;
    this.columns = columns;
    this.available = available;
    this.spotUsdPerHour = spotUsdPerHour;
    this.onDemandUsdPerHour = onDemandUsdPerHour;
    this.notices = notices;
    this.crashesPerNodeHour = crashesPerNodeHour;
  }

  /**
   * Returns the market of traces that begin together and have equal ticks, as long as the shortest;
   * one with a gap, or without prices, is bad input.
   */
  public static SpotMarket of(List<Trace> traces) {
    if (traces.isEmpty()) {
      throw new BadInput("A market needs at least one trace.", "Maybe name a file with one.");
    }
    Duration tick = traces.get(0).tick();
    Instant first = traces.get(0).start();
    int ticks = traces.stream().mapToInt(Trace::length).min().orElseThrow();
    int[][] available = new int[traces.size()][];
    double[][] prices = new double[traces.size()][];
    double[] onDemand = new double[traces.size()];
    Notice[] notices = new Notice[traces.size()];
    for (int p = 0; p < traces.size(); p++) {
      Trace trace = traces.get(p);
      if (!trace.tick().equals(tick)) {
        throw new BadInput(
            "The traces of %s and %s have ticks of %s s and %s s."
                .formatted(
                    traces.get(0).pool(), trace.pool(), tick.toSeconds(), trace.tick().toSeconds()),
            "Maybe align them first.");
      }
      Instant begun = trace.start();
      if (begun != null && first != null && !begun.equals(first)) {
        throw new BadInput(
            "The traces of %s and %s begin at %s and %s."
                .formatted(traces.get(0).pool(), trace.pool(), first, begun),
            "Maybe align them first.");
      }
      Double stated = trace.onDemandUsdPerHour();
      if (stated == null || trace.spotUsdPerHour().length == 0) {
        throw new BadInput(
            "The trace of %s lacks the %s price."
                .formatted(trace.pool(), stated == null ? "on-demand" : "spot"),
            "Maybe add it, or take it from a catalog.");
      }
      for (int t = 0; t < ticks; t++) {
        if (trace.available()[t] == Trace.UNKNOWN || Double.isNaN(trace.spotUsdPerHour()[t])) {
          throw new BadInput(
              "The trace of %s has a gap at tick %d.".formatted(trace.pool(), t),
              "Maybe say what a gap means.");
        }
      }
      available[p] = trace.available();
      prices[p] = trace.spotUsdPerHour();
      onDemand[p] = stated;
      notices[p] = Notice.of(trace.pool().place().cloud());
    }
    return new SpotMarket(
        traces.stream().map(Trace::pool).toList(),
        first,
        tick.toNanos() / 1e9,
        0,
        ticks,
        null,
        available,
        prices,
        onDemand,
        notices,
        new double[traces.size()]);
  }

  /** Returns a number of ticks from a tick on; the arrays are shared. */
  public SpotMarket window(int from, int length) {
    if (from < 0 || length < 1 || length > ticks - from) {
      throw new BadInput(
          "A market of %,d ticks has no window of %,d ticks from tick %,d on."
              .formatted(ticks, length, from),
          "Maybe choose a shorter one, or an earlier start.");
    }
    Instant moved = start == null ? null : start.plusNanos(Math.round(from * (tickSeconds * 1e9)));
    return new SpotMarket(
        pools,
        moved,
        tickSeconds,
        offset + from,
        length,
        columns,
        available,
        spotUsdPerHour,
        onDemandUsdPerHour,
        notices,
        crashesPerNodeHour);
  }

  /**
   * Returns the market that has these of our ticks in this order; all pools keep their places
   * beside each other. It happened at no time, so its start is not known.
   */
  public SpotMarket rearranged(int[] order) {
    int[] chosen = new int[order.length];
    for (int t = 0; t < order.length; t++) {
      chosen[t] = column(Objects.checkIndex(order[t], ticks));
    }
    return new SpotMarket(
        pools,
        null,
        tickSeconds,
        0,
        chosen.length,
        chosen,
        available,
        spotUsdPerHour,
        onDemandUsdPerHour,
        notices,
        crashesPerNodeHour);
  }

  /** Returns the same market with losses that no notice precedes, by the pool's cloud. */
  public SpotMarket losing(Function<String, UnannouncedLosses> byCloud) {
    Notice[] told = new Notice[notices.length];
    double[] crashes = new double[notices.length];
    for (int p = 0; p < told.length; p++) {
      UnannouncedLosses losses = byCloud.apply(pools.get(p).place().cloud());
      told[p] = notices[p].failing(losses.share());
      crashes[p] = losses.crashesPerNodeHour();
    }
    return new SpotMarket(
        pools,
        start,
        tickSeconds,
        offset,
        ticks,
        columns,
        available,
        spotUsdPerHour,
        onDemandUsdPerHour,
        told,
        crashes);
  }

  /** Returns how many spot nodes the pool has, tick by tick. */
  int[] counts(int pool) {
    int[] counts = new int[ticks];
    for (int t = 0; t < ticks; t++) {
      counts[t] = available(pool, t);
    }
    return counts;
  }

  /** Returns the market with other numbers of spot nodes in its ticks, by pool. */
  SpotMarket with(int[][] counts) {
    double[][] prices = new double[counts.length][ticks];
    for (int p = 0; p < prices.length; p++) {
      for (int t = 0; t < ticks; t++) {
        prices[p][t] = spotUsdPerHour(p, t);
      }
    }
    return new SpotMarket(
        pools,
        start,
        tickSeconds,
        0,
        ticks,
        null,
        counts,
        prices,
        onDemandUsdPerHour,
        notices,
        crashesPerNodeHour);
  }

  /**
   * Returns the market in which this one is followed by others with the same pools and ticks.
   * Markets that share their arrays still do so in the result.
   */
  public SpotMarket then(List<SpotMarket> others) {
    if (others.isEmpty()) {
      return this;
    }
    List<SpotMarket> parts = new ArrayList<>();
    parts.add(this);
    parts.addAll(others);
    for (SpotMarket part : others) {
      if (!part.pools.equals(pools) || part.tickSeconds != tickSeconds) {
        throw new IllegalArgumentException("Markets that follow each other must have equal pools.");
      }
    }
    boolean shared = others.stream().allMatch(part -> part.available == available);
    int[] columnOf = new int[parts.stream().mapToInt(SpotMarket::ticks).sum()];
    int[][] counts = shared ? available : new int[pools.size()][columnOf.length];
    double[][] prices = shared ? spotUsdPerHour : new double[pools.size()][columnOf.length];
    int at = 0;
    for (SpotMarket part : parts) {
      for (int t = 0; t < part.ticks; t++, at++) {
        columnOf[at] = shared ? part.column(t) : at;
        for (int p = 0; p < pools.size() && !shared; p++) {
          counts[p][at] = part.available(p, t);
          prices[p][at] = part.spotUsdPerHour(p, t);
        }
      }
    }
    return new SpotMarket(
        pools,
        start,
        tickSeconds,
        0,
        columnOf.length,
        shared ? columnOf : null,
        counts,
        prices,
        onDemandUsdPerHour,
        notices,
        crashesPerNodeHour);
  }

  private int column(int tick) {
    // An index before the window would else read a tick that is not part of it.
    int column = offset + Objects.checkIndex(tick, ticks);
    return columns == null ? column : columns[column];
  }

  /** The pools, in the order of their indices. */
  public List<Pool> pools() {
    return pools;
  }

  /** When the first tick begins; null where the source does not say. */
  public @Nullable Instant start() {
    return start;
  }

  public double tickSeconds() {
    return tickSeconds;
  }

  public int ticks() {
    return ticks;
  }

  /** How many spot nodes the pool has in the tick. */
  public int available(int pool, int tick) {
    return available[pool][column(tick)];
  }

  /** What one spot node of the pool costs in the tick. */
  public double spotUsdPerHour(int pool, int tick) {
    return spotUsdPerHour[pool][column(tick)];
  }

  /** What one node of the pool costs that stays. */
  public double onDemandUsdPerHour(int pool) {
    return onDemandUsdPerHour[pool];
  }

  /** What is said before a spot node of the pool is taken back. */
  public Notice notice(int pool) {
    return notices[pool];
  }

  /** How often one node of the pool fails by itself, on spot or on demand. */
  public double crashesPerNodeHour(int pool) {
    return crashesPerNodeHour[pool];
  }
}
