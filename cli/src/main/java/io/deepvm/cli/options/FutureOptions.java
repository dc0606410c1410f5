package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.cli.print.BorrowedLosses;
import io.deepvm.market.Alignment;
import io.deepvm.market.Dependence;
import io.deepvm.market.GapRule;
import io.deepvm.market.Markets;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.Startup;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which market a plan is lived through, and how its futures are drawn. */
public final class FutureOptions {

  /** The options below, which say nothing where nothing is simulated. */
  public static final List<String> NAMES =
      List.of(
          "--trace",
          "--gap",
          "--draw",
          "--dependence",
          "--unannounced",
          "--runs",
          "--seed",
          "--threads");

  @Option(
      names = "--trace",
      paramLabel = "NAME|FILE",
      description =
          "Spot traces: gcp-h100-2025-10, aws-v100-2023-02, a file or a folder (default: the built-in"
              + " one that has the plan's workers, else a model of spot nodes' lives).")
  private @Nullable String market;

  @Option(
      names = "--gap",
      paramLabel = "unavailable|last|refuse",
      description = "What a gap in a trace means (default: ${DEFAULT-VALUE}).")
  private GapRule gaps = GapRule.LAST;

  @Option(
      names = "--draw",
      paramLabel = "starts|bootstrap|model",
      description = {
        "Where runs' futures come from (default: starts, or bootstrap where the record is short):",
        "starts: the record, from starts spread over it;",
        "bootstrap: blocks of 12 h of it in a new order;",
        "model: lives of spot nodes drawn from a model fitted to it."
      })
  private @Nullable Draw draw;

  @Option(
      names = "--dependence",
      paramLabel = "measured|together|independent",
      description =
          "Whether the spot nodes of a zone come and go together, where the trace does not count them"
              + " (default: ${DEFAULT-VALUE}).")
  private DependenceRule dependence = DependenceRule.MEASURED;

  @Option(
      names = "--unannounced",
      paramLabel = "SHARE",
      description = "The share of revocations without notice (default: 0.05, an assumption).")
  private @Nullable Double unannounced;

  @Option(
      names = "--runs",
      converter = Values.Count.class,
      paramLabel = "N",
      description = "How many runs are simulated (default: ${DEFAULT-VALUE}).")
  public int runs = 1000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The same seed gives the same results (default: ${DEFAULT-VALUE}).")
  public long seed = 1;

  @Option(
      names = "--threads",
      converter = Values.Count.class,
      paramLabel = "N",
      description = "How many runs at a time (default: as many as there are cores).")
  public int threads = Runtime.getRuntime().availableProcessors();

  private final Map<String, PoolModels> models = new HashMap<>();
  private @Nullable Interruptions interruptions;

  /**
   * A stage and the futures it is lived through.
   *
   * @param courses the futures, by how far nodes come and go together
   * @param market its name, for people
   * @param aheadSeconds how long a run may take before it is given up
   * @param borrowed null where the market has a trace of each of the plan's pools
   */
  public record Show(
      Stage stage,
      Function<DependenceRule, Future.Source> courses,
      DependenceRule dependence,
      Draw draw,
      String market,
      double aheadSeconds,
      List<String> notes,
      @Nullable BorrowedLosses borrowed) {

    /** Returns the futures by the rule that was asked for. */
    public Future.Source futures() {
      return courses.apply(dependence);
    }

    /** Returns whether it matters how far nodes come and go together, beyond what was recorded. */
    public boolean depends() {
      int most = Arrays.stream(stage.spot()).max().orElse(0);
      boolean assumed = draw == Draw.MODEL;
      for (boolean single : stage.single()) {
        assumed |= single;
      }
      return assumed && most > 1;
    }

    private Show losing(Function<String, UnannouncedLosses> byCloud) {
      return new Show(
          stage,
          rule -> courses.apply(rule).losing(byCloud),
          dependence,
          draw,
          market,
          aheadSeconds,
          notes,
          borrowed);
    }
  }

  /**
   * Returns the machines that the market named has traces of, where it has them and at the prices
   * it recorded, beside the machines that do not train; the catalog itself when no market was
   * named.
   */
  public Catalog traced(Catalog offers) {
    if (market == null) {
      return offers;
    }
    List<Listing> listings = new ArrayList<>();
    for (Listing listing : offers.listings()) {
      if (!listing.machine().trains()) {
        listings.add(listing);
      }
    }
    Recording record = Markets.load(market);
    int others = listings.size();
    for (Trace trace : record.traces()) {
      offers.listings().stream()
          .filter(l -> l.machine().cloud().equals(trace.pool().place().cloud()))
          .filter(l -> l.machine().name().equals(trace.pool().instanceType()))
          .findFirst()
          .ifPresent(
              l ->
                  listings.add(
                      new Listing(
                          l.machine(),
                          trace.pool().place(),
                          money(Arrays.stream(trace.spotUsdPerHour()).average().orElse(Double.NaN)),
                          money(trace.onDemandUsdPerHour()))));
    }
    if (listings.size() == others) {
      throw new BadInput(
          "The market '%s' has traces of %s, which the catalog '%s' does not know."
              .formatted(
                  record.name(), record.traces().get(0).pool().instanceType(), offers.name()),
          "Maybe name a --catalog that has it, or leave --trace out.");
    }
    return offers.with(listings);
  }

  private static @Nullable Money money(@Nullable Double usd) {
    return usd == null || !Double.isFinite(usd) ? null : Money.of(BigDecimal.valueOf(usd));
  }

  /** Returns the traces of the market named; there must be one. */
  public Recording named() {
    if (market == null) {
      throw new BadInput("No trace is named.", "Maybe add --trace aws-v100-2023-02.");
    }
    return Markets.load(market);
  }

  /** Returns the traces of the market named, or of the built-in ones. */
  public Recording recording(PlannedRun run) {
    if (market != null) {
      return Markets.load(market);
    }
    for (String name : Markets.builtIn()) {
      Recording candidate = Markets.load(name);
      if (run.workers().stream()
          .allMatch(g -> candidate.traces().stream().anyMatch(t -> isOf(t, g)))) {
        return candidate;
      }
    }
    String cloud = run.workers().get(0).pool().place().cloud();
    return Markets.load(Markets.standIn(cloud));
  }

  /**
   * Sets a run on a market in which notices fail and nodes crash.
   *
   * @param places where policies may rent beside the plan's own places; empty means anywhere
   */
  public Show show(PlannedRun run, List<PlaceFilter> places) {
    if (unannounced != null && !(unannounced >= 0 && unannounced <= 1)) {
      throw new BadInput(
          "The share of revocations without notice (%s) must be from 0 to 1."
              .formatted(unannounced),
          "Maybe write --unannounced 0.05.");
    }
    return show(run, recording(run), places).losing(this::unannounced);
  }

  /** Takes the interruptions that are stated for pools without a trace. */
  public void interrupted(@Nullable Interruptions stated) {
    interruptions = stated;
  }

  /** Returns the losses without notice that are assumed of a cloud. */
  public UnannouncedLosses unannounced(String cloud) {
    UnannouncedLosses usual = UnannouncedLosses.of(cloud);
    return unannounced == null ? usual : usual.withShare(unannounced);
  }

  /** Returns the losses without notice that are assumed of the clouds of a stage. */
  public Map<String, UnannouncedLosses> unannounced(Stage stage) {
    Map<String, UnannouncedLosses> byCloud = new TreeMap<>();
    stage.market().pools().stream()
        .map(pool -> pool.place().cloud())
        .forEach(cloud -> byCloud.put(cloud, unannounced(cloud)));
    return byCloud;
  }

  /** Returns courses of a record in which several nodes live where it was of one. */
  public static Future.Source split(Future.Source recorded, Stage stage, DependenceRule rule) {
    return recorded.split(stage.split(rule.of(Dependence.MEASURED)));
  }

  /** Sets a run on a market's record that was read before; every notice comes, no node crashes. */
  public Show show(PlannedRun run, Recording record, List<PlaceFilter> places) {
    List<Trace> unused =
        record.in(
            places.stream()
                .filter(p -> run.workers().stream().noneMatch(g -> p.matches(g.pool().place())))
                .toList());
    List<Trace> traces =
        Alignment.onOneClock(record.traces(), null).stream().map(t -> t.filled(gaps)).toList();
    List<String> notes = new ArrayList<>(record.assumptions());
    boolean known = run.workers().stream().allMatch(g -> traces.stream().anyMatch(t -> isOf(t, g)));
    Draw chosen = draw;
    if (chosen == null && !known && market == null) {
      chosen = Draw.MODEL;
    }
    if (chosen == Draw.MODEL) {
      return modelled(run, record, traces, notes);
    }
    List<Trace> allowed =
        traces.stream()
            .filter(
                t ->
                    places.isEmpty()
                        || places.stream().anyMatch(p -> p.matches(t.pool().place()))
                        || run.workers().stream().anyMatch(g -> isOf(t, g)))
            .toList();
    Stage stage = Stage.of(run, allowed, Startup.USUAL, Billing.BY_THE_SECOND);
    notes.addAll(stage.notes());
    double ahead = stage.horizonSeconds();
    if (chosen == null) {
      chosen = Future.isLong(stage.market(), ahead) ? Draw.STARTS : Draw.BOOTSTRAP;
    }
    Future.Source recorded =
        chosen == Draw.STARTS
            ? Future.starts(stage.market(), runs, ahead)
            : Future.blocks(stage.market(), Future.BLOCK_SECONDS, ahead);
    return new Show(
        stage,
        rule -> split(recorded, stage, rule),
        dependence,
        chosen,
        record.name(),
        ahead,
        notes,
        null);
  }

  private Show modelled(PlannedRun run, Recording record, List<Trace> traces, List<String> notes) {
    PoolModels pools =
        models.computeIfAbsent(record.name(), name -> new PoolModels(name, traces, interruptions));
    Stage stage = Stage.of(run, pools.traces(run), Startup.USUAL, Billing.BY_THE_SECOND);
    if (run.workers().stream().allMatch(g -> g.market() == Market.ON_DEMAND)) {
      notes.add("All nodes of the plan are on-demand: no market takes them back.");
    }
    double ahead = stage.horizonSeconds();
    return new Show(
        stage,
        rule -> Future.drawn(pools.models(run, rule), ahead),
        dependence,
        Draw.MODEL,
        "model of " + record.name(),
        ahead,
        notes,
        pools.borrowed(run));
  }

  private static boolean isOf(Trace trace, PlannedRun.Group group) {
    return Stage.isOf(trace.pool(), group.pool());
  }
}
