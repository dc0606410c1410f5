package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Exclusion;
import io.deepvm.catalog.GpuFilter;
import io.deepvm.catalog.OfferFilter;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Vendor;
import io.deepvm.cli.options.Values;
import io.deepvm.cli.options.WorkerMarkets;
import io.deepvm.planner.AnchorMemory;
import io.deepvm.planner.CheckpointGoal;
import io.deepvm.planner.Goal;
import io.deepvm.planner.GoalLimits;
import io.deepvm.planner.LastWorker;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Selection;
import io.deepvm.planner.parameterserver.ParameterServerFamily;
import io.deepvm.workload.Underway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the user wants and will pay. */
@SuppressWarnings("NullAway.Init")
final class GoalOptions {

  private static final String ANY_VENDOR = "any";
  private static final String[] VENDORS = {"nvidia", "amd", ANY_VENDOR};

  @Option(
      names = "--max-price-per-hour",
      paramLabel = "USD",
      description =
          "The most the whole cluster may cost per hour. One of --max-price-per-hour, --max-cost and"
              + " --deadline is enough.")
  @Nullable Money maxPricePerHour;

  @Option(
      names = "--objective",
      paramLabel = "flopp|throughput|cost|time",
      description =
          "What makes a plan better: operations per dollar as in the DeepVM paper, speed, or what"
              + " the job's work costs or takes (default: flopp on the paper's catalogs, else"
              + " throughput; without --max-price-per-hour: cost to meet a --deadline, time within a"
              + " --max-cost).")
  @Nullable Objective objective;

  @Option(
      names = "--architecture",
      paramLabel = "NAME",
      description =
          "Only this one: single-anchor, tiering, averaging or parameter-server (repeatable;"
              + " default: all that the job's file says enough for).")
  Set<String> architectures = new LinkedHashSet<>();

  @Option(
      names = "--place",
      paramLabel = "PLACE",
      description =
          "Only there: aws, aws/us-*, gcp/us-central1/us-central1-a (repeatable; default: anywhere).")
  List<PlaceFilter> places = new ArrayList<>();

  @Option(
      names = "--market",
      paramLabel = "spot|on-demand|any",
      description =
          "Where workers are rented; any: each type on the better of the two markets (default:"
              + " ${DEFAULT-VALUE}).")
  WorkerMarkets market = WorkerMarkets.SPOT;

  @Option(
      names = "--gpu",
      split = ",",
      paramLabel = "NAME",
      description =
          "Train on these GPUs only: T4,L4 or 'A100*' (repeatable; names as in 'catalog list').")
  List<GpuFilter> gpus = new ArrayList<>();

  @Option(
      names = "--exclude",
      split = ",",
      paramLabel = "NAME",
      description =
          "Rent none of these instance types, GPUs or places: 'p3.*',V100,aws/eu-* (repeatable).")
  List<Exclusion> excluded = new ArrayList<>();

  @Option(
      names = "--vendor",
      split = ",",
      paramLabel = "nvidia|amd|any",
      description =
          "Train on GPUs of this vendor (repeatable; default: nvidia, because CUDA scripts need it;"
              + " with --gpu, any).")
  List<String> vendors = new ArrayList<>();

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      description = "The job must be done within this, e.g. 8h.")
  @Nullable Duration deadline;

  @Option(
      names = "--target-loss",
      paramLabel = "LOSS",
      description =
          "Train to this loss, over parameter servers (default: the job's parameterServer.targetLoss).")
  @Nullable Double targetLoss;

  @Option(
      names = "--running",
      paramLabel = "TYPE=COUNT",
      description =
          "With parameter-server: nodes that a revocation left and that train on (repeatable); the"
              + " deadline is the time that remains.")
  Map<String, Integer> running = new LinkedHashMap<>();

  @Option(
      names = "--current-loss",
      paramLabel = "LOSS",
      description = "With parameter-server: the loss that training has reached (default: none).")
  @Nullable Double currentLoss;

  @Option(
      names = "--confidence",
      paramLabel = "P",
      description =
          "Meet the deadline and the cost with this probability, e.g. 0.95: by simulated runs on a spot"
              + " market, with parameter-server by the uncertainty of the loss curve.")
  @Nullable Double confidence;

  @Option(
      names = "--max-cost",
      paramLabel = "USD",
      description = "The most the whole job may cost.")
  @Nullable Money maxCost;

  @Option(
      names = "--checkpoint-size",
      paramLabel = "SIZE",
      description = "The size of one checkpoint (default: the job's, else 500MB).")
  @Nullable DataSize checkpointSize;

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "DURATION",
      description = "Within this, a checkpoint must have reached the anchors (default: 10min).")
  Duration checkpointInterval = CheckpointGoal.USUAL.interval();

  @Option(
      names = "--anchor-slots",
      paramLabel = "N",
      description = "How many checkpoints an anchor keeps in memory (default: 2).")
  double anchorSlots = CheckpointGoal.USUAL.anchorSlots();

  @Option(
      names = "--anchor-memory",
      paramLabel = "share|whole",
      description =
          "Whether an anchor holds only its share of a checkpoint or, as in the paper, all of it"
              + " (default: ${DEFAULT-VALUE}).")
  AnchorMemory anchorMemory = AnchorMemory.SHARE;

  @Option(
      names = "--min-marginal-gain",
      paramLabel = "SHARE",
      description =
          "Stop buying workers that add less than this, e.g. 0.01; 0 buys on (default: the last worker"
              + " must be worth its price: if it raises the price by 2 %%, it must raise the speed by"
              + " 1 %%. 0 with --objective flopp, --mix and on the paper's catalogs).")
  @Nullable Double minMarginalGain;

  @Option(names = "--mix", description = "Also weigh clusters of several worker types.")
  boolean mix;

  @Option(
      names = "--top",
      paramLabel = "K",
      description = "How many plans to show (default: ${DEFAULT-VALUE}).")
  int top = 3;

  /**
   * Returns the goal; the checkpoint is the option's, else the job's, else the paper's.
   *
   * @param lastWorker what the last worker must bring where nothing else is asked for
   */
  Goal goal(
      @Nullable DataSize jobsCheckpoint, Objective usual, LastWorker lastWorker, int alternatives) {
    requireALimit();
    DataSize checkpoint = checkpointSize == null ? jobsCheckpoint : checkpointSize;
    Objective wanted = objective == null ? usual : objective;
    return new Goal(
        new GoalLimits(maxPricePerHour, maxCost, deadline, confidence),
        wanted,
        Selection.USUAL.withPlaces(places).withMarkets(market.markets()),
        architectures,
        new CheckpointGoal(
            checkpoint == null ? CheckpointGoal.USUAL_SIZE : checkpoint,
            anchorSlots,
            anchorMemory,
            checkpointInterval),
        lastWorker(wanted, lastWorker),
        mix,
        alternatives);
  }

  /** Returns which offers the user wants to be used. */
  OfferFilter filter() {
    return new OfferFilter(gpus, excluded, vendors());
  }

  /** Returns the filter that holds where the user has named neither a GPU nor a vendor. */
  OfferFilter usualFilter() {
    return gpus.isEmpty() && vendors.isEmpty()
        ? new OfferFilter(List.of(), List.of(), Set.of(Vendor.NVIDIA))
        : OfferFilter.NONE;
  }

  private Set<Vendor> vendors() {
    Set<Vendor> chosen = EnumSet.noneOf(Vendor.class);
    boolean any = false;
    for (String vendor : vendors) {
      String name = Values.choice("vendor", vendor, VENDORS);
      any |= name.equals(ANY_VENDOR);
      if (!name.equals(ANY_VENDOR)) {
        chosen.add(Vendor.valueOf(name.toUpperCase(Locale.ROOT)));
      }
    }
    return any ? Set.of() : chosen;
  }

  /** Whether only clusters with parameter servers are asked for. */
  boolean onlyParameterServers() {
    return architectures.equals(Set.of(ParameterServerFamily.NAME));
  }

  /** Returns how far the training has come, or null when it is yet to start. */
  @Nullable Underway underway() {
    if (currentLoss == null && running.isEmpty()) {
      return null;
    }
    if (!onlyParameterServers()) {
      throw new BadInput(
          "Only parameter servers are planned anew from what runs and the loss reached.",
          "Maybe add --architecture parameter-server, or drop --running and --current-loss.");
    }
    if (currentLoss == null) {
      throw new BadInput(
          "What runs has reached a loss that is not stated.", "Maybe add --current-loss 0.9.");
    }
    return new Underway(currentLoss, running);
  }

  /**
   * Returns the objective of a goal without a ceiling per hour: the least cost by the deadline,
   * else the least time within the cost. Under a ceiling it is the usual one.
   */
  Objective usualObjective(Objective underACeiling) {
    if (maxPricePerHour != null) {
      return underACeiling;
    }
    return deadline == null ? Objective.TIME : Objective.COST;
  }

  /** Z and mixes have no worker that is the last: both buy on. */
  private LastWorker lastWorker(Objective wanted, LastWorker usual) {
    if (minMarginalGain != null) {
      return LastWorker.adding(minMarginalGain);
    }
    return mix || wanted == Objective.FLOPP ? LastWorker.ANY : usual;
  }

  private void requireALimit() {
    boolean none = maxPricePerHour == null && maxCost == null && deadline == null;
    if (none && !onlyParameterServers()) {
      throw new BadInput(
          "A plan needs a limit: --max-price-per-hour, --max-cost or --deadline.",
          "Maybe add one, as in: deepvm plan --max-price-per-hour 3");
    }
  }
}
