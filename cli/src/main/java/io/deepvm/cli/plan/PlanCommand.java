package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.QuotaFile;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.CatalogOption;
import io.deepvm.cli.options.Compat;
import io.deepvm.cli.options.FutureOptions;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.Ignored;
import io.deepvm.cli.options.JobOptions;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.ExpectedRun;
import io.deepvm.cli.print.Explanation;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.Hints;
import io.deepvm.cli.print.Paint;
import io.deepvm.cli.print.PlanCsv;
import io.deepvm.cli.print.PlanJson;
import io.deepvm.cli.print.PlanTable;
import io.deepvm.cli.print.PriceAge;
import io.deepvm.cli.print.RiskReport;
import io.deepvm.cli.print.SpotSaving;
import io.deepvm.market.Markets;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.planner.Architectures;
import io.deepvm.planner.FilteredPlanner;
import io.deepvm.planner.GivenCluster;
import io.deepvm.planner.Goal;
import io.deepvm.planner.LastWorker;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.simulator.forecast.SteadyZones;
import io.deepvm.studies.spotdnn.SpotDnnMethod;
import io.deepvm.workload.AsynchronousTraining;
import io.deepvm.workload.Job;
import io.deepvm.workload.Profiles;
import io.deepvm.workload.Underway;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Finds the best clusters for a budget or a deadline. */
@Command(
    name = "plan",
    description = "Finds the best clusters for a budget or a deadline, and says why they are.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm plan --max-price-per-hour 3",
      "  deepvm plan --max-price-per-hour 20 --place 'aws/us-*' --explain",
      "  deepvm plan --max-price-per-hour 4 --place lambda --market on-demand",
      "  deepvm plan --job examples/resnet50.yaml --max-cost 40 --deadline 24h",
      "  deepvm plan --max-price-per-hour 20 --gpu 'A100*,L4' --exclude 'aws/eu-*'",
      "  deepvm plan --max-price-per-hour 10 --job examples/resnet50.yaml --objective cost --deadline 8h",
      "  deepvm plan --max-price-per-hour 5 --model resnet50 --epochs 90",
      "  deepvm plan --max-price-per-hour 5 --job examples/resnet50.yaml --architecture averaging",
      "  deepvm plan --max-price-per-hour 30 --job examples/llama-7b-finetune.yaml --deadline 4h \\",
      "    --confidence 0.95 --trace gcp-h100-2025-10",
      "",
      "Exit code 3: nothing fits; the message says what would."
    })
@SuppressWarnings("NullAway.Init")
public final class PlanCommand implements Callable<Integer> {

  private static final String INTERRUPTIONS = "--interruptions";

  @Mixin private GoalOptions wanted;
  @Mixin private CatalogOption catalog;

  @Option(
      names = "--quotas",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "What the account may rent, as YAML (default: the catalog's quotas).")
  private @Nullable Path quotaFile;

  @Mixin private JobOptions trained;

  @Option(
      names = "--own",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "Machines at hand, as in a cluster file; averaging can use them.")
  private @Nullable Path ownFile;

  @Option(
      names = "--gpu-memory",
      paramLabel = "SIZE",
      description =
          "What one replica of the model needs on a GPU, e.g. 14GiB (default: the job's).")
  private @Nullable DataSize gpuMemory;

  @Option(
      names = "--precision",
      paramLabel = "fp32|tf32|fp16|bf16|fp8",
      description =
          "The number format trained in; bf16 counts as fp16, fp8 needs a GPU that has it (default:"
              + " the job's, else fp16).")
  private @Nullable Precision precision;

  @Option(
      names = "--compat",
      paramLabel = "artifact|paper",
      description =
          "Answer as the paper's public artifact does, slips included, or as the paper means.")
  private @Nullable Compat compat;

  @Option(names = "--explain", description = "Show the four stages that led to the plans.")
  private boolean explain;

  @Option(
      names = INTERRUPTIONS,
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description =
          "How often spot nodes of AWS are interrupted, where no trace says it: Spot Advisor JSON or"
              + " SpotLake CSV (default: like the recorded pools).")
  private @Nullable Path interruptionFile;

  @Mixin private FutureOptions future;
  @Spec private CommandSpec spec;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public PlanCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Double confidence = wanted.onlyParameterServers() ? null : wanted.confidence;
    if (confidence == null) {
      Ignored.refuse(
          spec,
          wanted.confidence == null ? "without --confidence" : "with parameter servers",
          FutureOptions.NAMES);
    }
    if (compat != null) {
      Ignored.refuse(spec, "with --compat", List.of(INTERRUPTIONS));
    }
    future.interrupted(interruptions());
    Job job = job();
    Catalog offers = Progress.during(terminal, "Reading the catalog", this::offers);
    job.scaling().requireKnown(offers);
    OfferChoice choice = OfferChoice.of(offers, wanted, compat != null);
    if (confidence != null) {
      return weighingRisk(job, choice, confidence);
    }
    Goal goal =
        choice.placed(
            wanted
                .goal(job.checkpoint(), usualObjective(offers), usualLastWorker(offers), wanted.top)
                .withOwn(own(offers)));
    Planning planning =
        Progress.during(
            terminal,
            "Planning",
            () ->
                compat == null
                    ? new FilteredPlanner(choice.catalog(), job, choice.filter()).plan(goal)
                    : compat.plan(choice.filtered(), job, goal));
    print(withSavings(steady(choice.noted(planning), choice, job), offers), offers, job, Map.of());
    return planning.infeasible() == null ? Exit.DONE : Exit.INFEASIBLE;
  }

  /** Tries the best plans on paper on a market, and ranks them by what they come to there. */
  private int weighingRisk(Job job, OfferChoice all, double confidence) {
    if (compat != null || (wanted.deadline == null && wanted.maxCost == null)) {
      throw new BadInput(
          compat != null
              ? "The originals know no confidence."
              : "A confidence of %s needs something to hold.".formatted(confidence),
          compat != null ? "Maybe drop --compat or --confidence." : "Maybe add --deadline 8h.");
    }
    if (job.work() == null && job.profiles().averaging() == null) {
      throw new BadInput(
          "A confidence needs to know how much work there is.",
          "Maybe give --job with a file that has 'work:'.");
    }
    OfferChoice choice = all.on(future.traced(all.catalog()));
    Goal goal =
        choice.placed(
            wanted
                .goal(
                    job.checkpoint(),
                    Objective.COST,
                    usualLastWorker(choice.catalog()),
                    RiskPlanning.CANDIDATES)
                .withConfidence(null)
                .withOwn(own(choice.catalog())));
    Planning planning =
        Progress.during(
            terminal,
            "Planning",
            () ->
                steady(
                    choice.noted(
                        new FilteredPlanner(choice.catalog(), job, choice.filter()).plan(goal)),
                    choice,
                    job));
    if (planning.infeasible() != null) {
      print(planning, choice.catalog(), job, Map.of());
      return Exit.INFEASIBLE;
    }
    Catalog offers = choice.filtered();
    RiskPlanning risk = new RiskPlanning(terminal, future, offers, job, confidence);
    List<RiskReport.Candidate> ranked = risk.rank(planning);
    RiskReport.Candidate best = ranked.get(0);
    RiskReport report =
        new RiskReport(
            terminal.out(),
            goal,
            confidence,
            ranked,
            planning.plans().get(0),
            best.holds() ? risk.extra(best, goal) : null);
    risk.notes(best, goal).forEach(note -> terminal.err().println(note));
    if (!best.holds()) {
      report.infeasible().forEach(line -> terminal.err().println(line));
      return Exit.INFEASIBLE;
    }
    List<Plan> first = ranked.stream().limit(wanted.top).map(RiskReport.Candidate::plan).toList();
    if (output.format == Format.TABLE) {
      report.table(terminal.paint(), wanted.top);
      String saving = new SpotSaving(offers).line(best.plan());
      if (saving != null) {
        terminal.out().println(saving);
      }
      announceOldPrices(goal, first, offers);
      return Exit.DONE;
    }
    Map<Plan, RiskReport.Candidate> simulated = new HashMap<>();
    ranked.forEach(candidate -> simulated.put(candidate.plan(), candidate));
    print(planning.withPlans(first), offers, job, simulated);
    return Exit.DONE;
  }

  private Objective usualObjective(Catalog offers) {
    if (wanted.onlyParameterServers()) {
      return Objective.COST;
    }
    return compat == null ? wanted.usualObjective(Objective.usual(offers)) : Objective.FLOPP;
  }

  /** The papers' vectors are those of a planner that buys on. */
  private LastWorker usualLastWorker(Catalog offers) {
    return compat != null || Objective.usual(offers) == Objective.FLOPP
        ? LastWorker.ANY
        : LastWorker.WORTH_ITS_PRICE;
  }

  /** Moves spot workers to steadier zones that cost nearly the same; the papers know none. */
  private Planning steady(Planning planning, OfferChoice choice, Job job) {
    if (compat != null) {
      return planning;
    }
    Catalog filtered = choice.filtered();
    return planning.withPlans(
        planning.plans().stream()
            .map(
                plan ->
                    SteadyZones.prefer(
                        plan,
                        filtered,
                        planning.goal(),
                        there -> Architectures.plan(there, job, planning.goal())))
            .toList());
  }

  /** Adds what spot saves, and at which risk, to the reasons of every plan but the artifact's. */
  private Planning withSavings(Planning planning, Catalog offers) {
    if (compat == Compat.ARTIFACT) {
      return planning;
    }
    SpotSaving savings = new SpotSaving(offers);
    List<Plan> plans = new ArrayList<>();
    for (Plan plan : planning.plans()) {
      String line = savings.line(plan);
      plans.add(line == null ? plan : plan.withReason(line));
    }
    return planning.withPlans(plans);
  }

  private @Nullable Interruptions interruptions() {
    return interruptionFile == null ? null : Markets.interruptions(interruptionFile);
  }

  private Catalog offers() {
    // The published plans were made on the paper's own market.
    boolean published = compat == Compat.PAPER && wanted.onlyParameterServers();
    Catalog offers =
        published && catalog.isUsual() ? SpotDnnMethod.market() : catalog.load(terminal);
    return quotaFile == null ? offers : offers.withQuotas(QuotaFile.read(quotaFile));
  }

  private List<GivenCluster.Group> own(Catalog offers) {
    return ownFile == null ? List.of() : ClusterFile.read(ownFile, "averaging", offers).groups();
  }

  private Job job() {
    Job job = trained.job();
    return new Job(
        job.name(),
        Objects.requireNonNullElse(precision, job.precision()),
        gpuMemory == null ? job.gpuMemory() : gpuMemory,
        job.checkpoint(),
        job.work(),
        job.scaling(),
        profiles(job),
        job.files());
  }

  /** What was measured, with the losses of the command line and what runs. */
  private Profiles profiles(Job job) {
    Double loss = wanted.targetLoss;
    Underway underway = wanted.underway();
    if (loss == null && underway == null) {
      return job.profiles();
    }
    AsynchronousTraining training = job.profiles().parameterServer();
    if (training == null) {
      throw new BadInput(
          "A target or current loss needs a loss curve, and the job '%s' has none."
              .formatted(job.name()),
          "Maybe give --job with a file that has 'parameterServer:'.");
    }
    AsynchronousTraining towards = loss == null ? training : training.to(loss);
    return job.profiles().with(underway == null ? towards : towards.from(underway));
  }

  private void print(
      Planning planning, Catalog offers, Job job, Map<Plan, RiskReport.Candidate> simulated) {
    Paint paint = terminal.paint();
    Map<Plan, ExpectedRun> expected =
        compat == null
            ? new PlanForecasts(job, planning.goal(), offers, interruptions()).of(planning)
            : Map.of();
    if (output.format == Format.JSON) {
      PlanJson.print(
          terminal.out(),
          planning,
          offers,
          plan -> PlanForecasts.livable(plan, job, planning.goal(), offers),
          expected,
          simulated);
    } else if (output.format == Format.CSV) {
      PlanCsv.print(terminal.out(), planning, expected);
    } else if (explain) {
      new Explanation(terminal.out(), paint).print(planning, offers);
    } else if (planning.infeasible() == null) {
      new PlanTable(terminal.out(), paint).print(planning, offers, expected);
    }
    planning.notes().forEach(note -> terminal.err().println(note));
    announceOldPrices(planning.goal(), planning.plans(), offers);
    if (planning.infeasible() != null) {
      terminal.err().println(planning.infeasible().reason());
      Hints.sentences(planning.infeasible()).forEach(terminal.err()::println);
    }
  }

  private void announceOldPrices(Goal goal, List<Plan> shown, Catalog offers) {
    Set<String> rented = new LinkedHashSet<>();
    for (Plan plan : shown) {
      plan.nodes().forEach(group -> rented.add(group.offer().place().cloud()));
    }
    String line =
        PriceAge.announcement(
            offers.with(offers.in(goal.places())), rented, LocalDate.now(terminal.clock()));
    if (line != null) {
      terminal.err().println(line);
    }
    String drift = PriceAge.drift(offers, shown, LocalDate.now(terminal.clock()));
    if (drift != null) {
      terminal.err().println(drift);
    }
  }
}
