package io.deepvm.simulator.forecast;

import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.market.Alignment;
import io.deepvm.market.GapRule;
import io.deepvm.market.Markets;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotLosses;
import io.deepvm.market.Trace;
import io.deepvm.market.interruption.Band;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.market.survival.CapacityModel;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.Startup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sets plans on the markets they may meet: on the record of their own pools, else on each recorded
 * pool that theirs may be like. Prices are the plan's; a record of the own pool says how they move.
 */
public final class LikelyMarkets {

  /** How often a steady market is looked at; any time that is longer than a boot will do. */
  private static final Duration STEADY_TICK = Duration.ofMinutes(10);

  /** The length of a course that is drawn. */
  private static final Duration DRAWN = Duration.ofDays(90);

  private final @Nullable Interruptions interruptions;
  private final Map<String, List<Trace>> records = new HashMap<>();

  /**
   * Knows the built-in records.
   *
   * @param interruptions stated for pools without a record; null if nothing is
   */
  public LikelyMarkets(@Nullable Interruptions interruptions) {
    this.interruptions = interruptions;
  }

  /** What is known of the losses of a plan's spot workers. */
  public enum Kind {
    /** The plan has no spot workers. */
    NO_SPOT,
    /** Their own pools were recorded. */
    RECORDED,
    /** A file states the band of their interruptions; outages are as recorded elsewhere. */
    BAND,
    /** Other pools were recorded, which theirs may be like. */
    BORROWED
  }

  /**
   * A plan on the markets it may meet.
   *
   * @param record the name of the record, or the band and its file; empty without spot workers
   */
  public record Setting(List<Stage> stages, Kind kind, String record) {}

  /** Returns the markets of a plan whose undisturbed time is known. */
  public Setting of(PlannedRun run) {
    List<Pool> spot =
        run.workers().stream()
            .filter(group -> group.market() == Market.SPOT)
            .map(PlannedRun.Group::pool)
            .distinct()
            .toList();
    if (spot.isEmpty()) {
      return new Setting(List.of(steady(run)), Kind.NO_SPOT, "");
    }
    String name = SpotLosses.of(spot.get(0)).record();
    List<Trace> record = records.computeIfAbsent(name, LikelyMarkets::read);
    boolean recorded = spot.stream().allMatch(pool -> own(pool, record) != null);
    List<Trace> lenders = recorded ? record.subList(0, 1) : Lenders.of(record);
    String bands = recorded ? "" : bands(spot);
    List<Stage> stages = new ArrayList<>();
    for (int i = 0; i < lenders.size(); i++) {
      int first = i;
      stages.add(
          staged(
              run,
              group -> {
                // Zones come and go for themselves: each borrows another pool's record.
                int place = first + Math.max(0, spot.indexOf(group.pool()));
                Trace lender = lenders.get(place % lenders.size());
                return bands.isEmpty()
                    ? like(group, record, lender)
                    : drawn(group, record, lender, place);
              }));
    }
    return bands.isEmpty()
        ? new Setting(stages, recorded ? Kind.RECORDED : Kind.BORROWED, name)
        : new Setting(stages, Kind.BAND, bands);
  }

  private static List<Trace> read(String name) {
    return Alignment.onOneClock(Markets.load(name).traces(), null).stream()
        .map(trace -> trace.filled(GapRule.LAST))
        .toList();
  }

  /** Returns the stated bands of the pools, and that the others borrow; empty if none is stated. */
  private String bands(List<Pool> pools) {
    if (interruptions == null) {
      return "";
    }
    Set<String> bands = new LinkedHashSet<>();
    int stated = 0;
    for (Pool pool : pools) {
      Band band = interruptions.of(pool);
      if (band != null) {
        bands.add(band.toString());
        stated++;
      }
    }
    if (stated == 0) {
      return "";
    }
    String others =
        stated == pools.size()
            ? ""
            : "; %d of %d pools, the others like recorded ones".formatted(stated, pools.size());
    return "%s (%s%s)".formatted(String.join(" or ", bands), interruptions.name(), others);
  }

  /** Returns a course that is drawn: by the stated band, else by lives like those recorded. */
  private Trace drawn(PlannedRun.Group group, List<Trace> record, Trace lender, int seed) {
    Trace own = own(group.pool(), record);
    Band band = own != null || interruptions == null ? null : interruptions.of(group.pool());
    CapacityModel lives =
        band == null ? CapacityModel.of(own == null ? lender : own) : StatedLives.of(band, lender);
    int ticks = (int) (DRAWN.toSeconds() / lender.tickSeconds());
    return like(group, List.of(), lives.draw(1 + seed, ticks));
  }

  private static @Nullable Trace own(Pool pool, List<Trace> record) {
    return record.stream().filter(t -> Stage.isOf(t.pool(), pool)).findFirst().orElse(null);
  }

  private interface Course {
    Trace of(PlannedRun.Group group);
  }

  private static Stage staged(PlannedRun run, Course course) {
    // The price of a pool is that of its spot workers where it has any.
    List<PlannedRun.Group> spotFirst =
        run.workers().stream()
            .sorted(Comparator.comparing(group -> group.market() != Market.SPOT))
            .toList();
    Map<Pool, Trace> traces = new LinkedHashMap<>();
    for (PlannedRun.Group group : spotFirst) {
      traces.computeIfAbsent(group.pool(), pool -> course.of(group));
    }
    return Stage.of(run, List.copyOf(traces.values()), Startup.USUAL, Billing.BY_THE_SECOND);
  }

  private static Trace like(PlannedRun.Group group, List<Trace> record, Trace lender) {
    Trace own = own(group.pool(), record);
    double[] prices = own == null ? new double[lender.length()] : own.spotUsdPerHour().clone();
    double mean = own == null ? 0 : Arrays.stream(prices).average().orElse(0);
    for (int t = 0; t < prices.length; t++) {
      prices[t] = group.pricePerHour().dollars() * (mean > 0 ? prices[t] / mean : 1);
    }
    Trace course = own == null ? lender : own;
    return new Trace(
        group.pool(),
        course.start(),
        course.tick(),
        course.available(),
        course.asked(),
        prices,
        onDemand(group));
  }

  /** Returns a plan of nodes that nobody takes, for as long as it may take. */
  private static Stage steady(PlannedRun run) {
    double seconds = run.seconds() == null ? 0 : run.seconds();
    int ticks = (int) Math.min(1e6, 2 + 8 * (seconds + 8 * 3600) / STEADY_TICK.toSeconds());
    return staged(
        run,
        group -> {
          int[] available = new int[ticks];
          double[] prices = new double[ticks];
          Arrays.fill(prices, onDemand(group));
          return new Trace(
              group.pool(), null, STEADY_TICK, available, run.size(), prices, onDemand(group));
        });
  }

  private static double onDemand(PlannedRun.Group group) {
    Money stated = group.onDemandPerHour();
    return (stated == null ? group.pricePerHour() : stated).dollars();
  }
}
