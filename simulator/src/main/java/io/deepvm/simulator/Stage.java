package io.deepvm.simulator;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Wire;
import io.deepvm.catalog.Wires;
import io.deepvm.market.Dependence;
import io.deepvm.market.Pool;
import io.deepvm.market.SplitRecord;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A planned run set on a market: the pools it may use, and the scenario there.
 *
 * @param traces of the pools, on one clock, without gaps, in the order of the market's pools
 * @param single which pools the record asked for one node at a time, though the plan has more; its
 *     counts are nothing or all
 * @param spot how many spot workers the plan has in each pool
 * @param onDemand how many workers that stay, an anchor that trains included
 * @param scenario with members that come and go
 * @param notes what had to be assumed, one sentence each
 */
public record Stage(
    PlannedRun run,
    List<Trace> traces,
    boolean[] single,
    SpotMarket market,
    int[] spot,
    int[] onDemand,
    Scenario scenario,
    List<String> notes) {

  /**
   * Sets a run on those traces that are of its instance types; the plan's own places must be among
   * them.
   *
   * @param traces on one clock, with prices, without gaps
   */
  public static Stage of(PlannedRun run, List<Trace> traces, Startup startup, Billing billing) {
    Double seconds = run.seconds();
    if (seconds == null) {
      throw new BadInput(
          "The plan does not say how much work there is.",
          "Maybe plan with --job, or say how long all of its workers would train: --hours 8.");
    }
    Set<String> types =
        run.workers().stream().map(g -> g.pool().instanceType()).collect(Collectors.toSet());
    Set<String> notes = new LinkedHashSet<>();
    // Policies that know one pool only stay in the first.
    List<Trace> recorded =
        traces.stream()
            .filter(trace -> types.contains(trace.pool().instanceType()))
            .sorted(Comparator.comparing(trace -> !isPlanned(trace, run)))
            .toList();
    List<Trace> usable = new ArrayList<>();
    boolean[] single = new boolean[recorded.size()];
    for (int p = 0; p < single.length; p++) {
      single[p] = recorded.get(p).asked() == 1 && run.size() > 1;
      usable.add(enlarged(recorded.get(p), run.size(), notes));
    }
    int[] spot = new int[usable.size()];
    int[] onDemand = new int[usable.size()];
    int anchorPool = -1;
    for (PlannedRun.Group group : run.workers()) {
      int pool = find(usable, group.pool(), traces);
      if (group.market() == Market.SPOT) {
        spot[pool] += group.count();
        compare(group, usable.get(pool), notes);
      } else {
        onDemand[pool] += group.count();
        anchorPool = group.anchor() ? pool : anchorPool;
      }
    }
    SpotMarket market = SpotMarket.of(usable);
    Scenario scenario =
        new Scenario(
            new Throughput.ByCount(run.speeds(), run.rates().trafficUsdPerHour()),
            seconds,
            run.size(),
            Objects.requireNonNullElse(run.deadlineSeconds(), Double.POSITIVE_INFINITY),
            anchorPool,
            run.helpers().count(),
            run.helpers().perHour(),
            Recovery.SURVIVORS,
            run.checkpoint(),
            startup.loading(run.load().seconds()),
            billing.loading(run.load()),
            egress(market.pools()));
    return new Stage(run, usable, single, market, spot, onDemand, scenario, List.copyOf(notes));
  }

  /** How long a run may take: well beyond its deadline, and several times undisturbed training. */
  public double horizonSeconds() {
    double deadline = Objects.requireNonNullElse(run.deadlineSeconds(), 0.0);
    return Math.max(3 * scenario.work() + 4 * 3600, 1.5 * deadline);
  }

  /** The seconds from the first request to training, where spot nodes are granted at once. */
  public double startSeconds() {
    Startup startup = scenario.startup();
    boolean allStay = Arrays.stream(spot).sum() == 0;
    return (allStay ? startup.onDemandBootSeconds() : startup.spotBootSeconds())
        + startup.reformSeconds()
        + startup.freshSeconds();
  }

  /** Returns the scenario of a cluster that trains whole or not at all, from its checkpoints. */
  public Scenario gang() {
    Scenario s = scenario;
    return new Scenario(
        new Throughput.Gang(s.workers(), 1),
        s.work(),
        s.workers(),
        s.deadlineSeconds(),
        -1,
        s.anchors(),
        s.anchorsPerHour(),
        Recovery.RESTART,
        s.checkpointing(),
        s.startup(),
        s.billing(),
        s.egressUsdPerGb());
  }

  /** Returns the record, lived by as many nodes as the plan has where it was of one. */
  public SplitRecord split(Dependence dependence) {
    return new SplitRecord(market, single, run.size(), dependence);
  }

  /** Revocations per hour of one spot worker, as the traces have it. */
  public double lossesPerNodeHour() {
    double losses = 0;
    double hours = 0;
    for (Trace trace : traces) {
      int[] counts = trace.available();
      for (int t = 1; t < counts.length; t++) {
        losses += Math.max(0, counts[t - 1] - counts[t]);
        hours += counts[t - 1] * trace.tickSeconds() / 3600;
      }
    }
    return hours == 0 ? 0 : losses / hours;
  }

  // A source that asked for fewer nodes than the plan has cannot have counted them.
  private static Trace enlarged(Trace trace, int size, Set<String> notes) {
    if (trace.asked() >= size) {
      return trace;
    }
    if (trace.asked() > 1) {
      notes.add(
          "The trace asked for %d nodes only; %d are taken to come and go in proportion."
              .formatted(trace.asked(), size));
    }
    return trace.scaled(size);
  }

  private static boolean isPlanned(Trace trace, PlannedRun run) {
    return run.workers().stream().anyMatch(group -> isOf(trace.pool(), group.pool()));
  }

  /**
   * Whether a recorded pool is the one wanted. AWS zones are matched by region: catalogs name them
   * by id, traces by names that mean another zone in each account.
   */
  public static boolean isOf(Pool recorded, Pool wanted) {
    return recorded.instanceType().equals(wanted.instanceType())
        && (wanted.place().cloud().equals("aws") ? regional(recorded) : recorded.place())
            .near(wanted.place());
  }

  private static Place regional(Pool pool) {
    return new Place(pool.place().cloud(), pool.place().region(), null);
  }

  private static int find(List<Trace> usable, Pool wanted, List<Trace> all) {
    int best = -1;
    for (int i = 0; i < usable.size(); i++) {
      boolean fits = isOf(usable.get(i).pool(), wanted);
      if (fits && (best < 0 || mean(usable.get(i)) < mean(usable.get(best)))) {
        best = i;
      }
    }
    if (best >= 0) {
      return best;
    }
    String has =
        all.stream()
            .map(t -> t.pool().toString())
            .distinct()
            .limit(4)
            .collect(Collectors.joining("; "));
    throw new BadInput(
        "The plan has workers in %s, and the market has no such pool: it has %s%s."
            .formatted(wanted, has, all.size() > 4 ? "; ..." : ""),
        "Maybe name a --trace that has it, or draw from a model of spot nodes' lives:"
            + " --draw model.");
  }

  private static double mean(Trace trace) {
    return Arrays.stream(trace.spotUsdPerHour()).average().orElse(Double.POSITIVE_INFINITY);
  }

  private static void compare(PlannedRun.Group group, Trace trace, Set<String> notes) {
    double plan = group.pricePerHour().dollars();
    double record = mean(trace);
    if (Math.abs(record - plan) > 0.1 * plan) {
      notes.add(
          String.format(
              Locale.ROOT,
              "A %s cost $%.4g an hour on average when the market was recorded; the plan says $%.4g.",
              group.pool(),
              record,
              plan));
    }
  }

  private static double[][] egress(List<Pool> pools) {
    double[][] usd = new double[pools.size()][pools.size()];
    for (int from = 0; from < usd.length; from++) {
      for (int to = 0; to < usd.length; to++) {
        Place a = pools.get(from).place();
        Place b = pools.get(to).place();
        Wire wire = Wires.between(a, b);
        Money price = wire.egressPerGb();
        usd[from][to] = from == to || price == null ? 0 : price.dollars();
      }
    }
    return usd;
  }
}
