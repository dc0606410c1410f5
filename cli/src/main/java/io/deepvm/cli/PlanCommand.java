package io.deepvm.cli;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Precision;
import io.deepvm.cli.print.Explanation;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.Paint;
import io.deepvm.cli.print.PlanCsv;
import io.deepvm.cli.print.PlanJson;
import io.deepvm.cli.print.PlanTable;
import io.deepvm.planner.AnchorMemory;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Planner;
import io.deepvm.planner.Planning;
import io.deepvm.units.DataSize;
import io.deepvm.units.Money;
import io.deepvm.workload.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Finds the best clusters for an hourly budget. */
@Command(
    name = "plan",
    description = "Finds the best clusters for an hourly budget, and says why they are.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm plan --max-price-per-hour 3",
      "  deepvm plan --max-price-per-hour 20 --place 'aws/us-*' --explain",
      "  deepvm plan --max-price-per-hour 10 --job job.yaml --objective cost --deadline 8h",
      "",
      "Exit code 3: nothing fits; the message says what would."
    })
@SuppressWarnings("NullAway.Init")
final class PlanCommand implements Callable<Integer> {

  @Option(
      names = "--max-price-per-hour",
      required = true,
      paramLabel = "USD",
      description = "The most the whole cluster may cost per hour.")
  private Money maxPricePerHour;

  @Option(
      names = "--objective",
      paramLabel = "flopp|throughput|cost|time",
      description =
          "What makes a plan better: operations per dollar as in the DeepVM paper, speed, or what"
              + " the job's work costs or takes (default: ${DEFAULT-VALUE}).")
  private Objective objective = Objective.FLOPP;

  @Option(
      names = "--architecture",
      paramLabel = "NAME",
      description = "Only this one: single-anchor or tiering (repeatable; default: all).")
  private Set<String> architectures = new LinkedHashSet<>();

  @Option(
      names = "--place",
      paramLabel = "PLACE",
      description =
          "Only there: aws, aws/us-*, gcp/us-central1/us-central1-a (repeatable; default: anywhere).")
  private List<PlaceFilter> places = new ArrayList<>();

  @Mixin private CatalogOption catalog;

  @Option(
      names = "--gpu-memory",
      paramLabel = "SIZE",
      description =
          "What one replica of the model needs on a GPU, e.g. 14GiB (default: the job's).")
  private @Nullable DataSize gpuMemory;

  @Option(
      names = "--precision",
      paramLabel = "fp32|tf32|fp16",
      description = "The number format trained in (default: the job's, else fp16).")
  private @Nullable Precision precision;

  @Option(
      names = "--checkpoint-size",
      paramLabel = "SIZE",
      description = "The size of one checkpoint (default: the job's, else 500MB).")
  private @Nullable DataSize checkpointSize;

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "DURATION",
      description = "Within this, a checkpoint must have reached the anchors (default: 10min).")
  private Duration checkpointInterval = Duration.ofMinutes(10);

  @Option(
      names = "--anchor-slots",
      paramLabel = "N",
      description = "How many checkpoints an anchor keeps in memory (default: 2).")
  private double anchorSlots = 2;

  @Option(
      names = "--anchor-memory",
      paramLabel = "share|whole",
      description =
          "Whether an anchor holds only its share of a checkpoint or, as in the paper, all of it"
              + " (default: ${DEFAULT-VALUE}).")
  private AnchorMemory anchorMemory = AnchorMemory.SHARE;

  @Option(
      names = "--min-marginal-gain",
      paramLabel = "SHARE",
      description = "Stop buying workers that add less than this, e.g. 0.01 (default: 0).")
  private double minMarginalGain = 0;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      description = "The job must be done within this, e.g. 8h.")
  private @Nullable Duration deadline;

  @Option(
      names = "--max-cost",
      paramLabel = "USD",
      description = "The most the whole job may cost.")
  private @Nullable Money maxCost;

  @Option(names = "--mix", description = "Also weigh clusters of several worker types.")
  private boolean mix;

  @Option(
      names = "--top",
      paramLabel = "K",
      description = "How many plans to show (default: ${DEFAULT-VALUE}).")
  private int top = 3;

  @Option(names = "--explain", description = "Show the four stages that led to the plans.")
  private boolean explain;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  PlanCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Job job = job();
    Goal goal = goal(job);
    Catalog offers = Progress.during(terminal, "Reading the catalog", catalog::load);
    Places.requireKnown(places, offers);
    Planning planning =
        Progress.during(terminal, "Planning", () -> new Planner(offers, job).plan(goal));
    print(planning, offers);
    return planning.infeasible() == null ? Exit.DONE : Exit.INFEASIBLE;
  }

  private Job job() {
    Job job = Job.UNSTATED;
    return new Job(
        job.name(),
        Objects.requireNonNullElse(precision, job.precision()),
        gpuMemory == null ? job.gpuMemory() : gpuMemory,
        checkpointSize == null ? job.checkpoint() : checkpointSize,
        job.work(),
        job.scaling());
  }

  private Goal goal(Job job) {
    return new Goal(
        maxPricePerHour,
        objective,
        places,
        architectures,
        job.checkpoint() == null ? DataSize.ofGb(0.5) : job.checkpoint(),
        anchorSlots,
        anchorMemory,
        checkpointInterval,
        minMarginalGain,
        deadline,
        maxCost,
        mix,
        top);
  }

  private void print(Planning planning, Catalog offers) {
    Paint paint = new Paint(terminal.colour());
    if (output.format == Format.JSON) {
      PlanJson.print(terminal.out(), planning, offers);
    } else if (output.format == Format.CSV) {
      PlanCsv.print(terminal.out(), planning);
    } else if (explain) {
      new Explanation(terminal.out(), paint).print(planning, offers);
    } else if (planning.infeasible() == null) {
      new PlanTable(terminal.out(), paint).print(planning, offers);
    }
    if (planning.infeasible() != null) {
      terminal.err().println(planning.infeasible().reason());
      planning.infeasible().relax().forEach(terminal.err()::println);
    }
  }
}
