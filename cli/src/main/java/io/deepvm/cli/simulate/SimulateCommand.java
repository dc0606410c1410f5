package io.deepvm.cli.simulate;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.cli.chart.Chart;
import io.deepvm.cli.chart.ChartFormat;
import io.deepvm.cli.chart.IntervalChart;
import io.deepvm.cli.chart.OutcomeChart;
import io.deepvm.cli.chart.TimelineChart;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.ProgressBar;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.Compat;
import io.deepvm.cli.options.DependenceRule;
import io.deepvm.cli.options.FutureOptions;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.Ignored;
import io.deepvm.cli.options.NothingFits;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.options.PlanFile;
import io.deepvm.cli.print.Figures;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.LossAssumptions;
import io.deepvm.cli.print.SimulationReport;
import io.deepvm.simulator.Contest;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.IntervalCurve;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.RunRange;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.SampleParts;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.policy.Policies;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lives a plan through a spot market many times. */
@Command(
    name = "simulate",
    description = "Says what a plan will cost and how long it will take on a real spot market.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm plan --max-price-per-hour 20 --job examples/resnet50.yaml --output json >"
          + " plan.json",
      "  deepvm simulate --plan plan.json",
      "  deepvm simulate --plan plan.json --policy all --deadline 12h",
      "  deepvm simulate --plan plan.json --interval best",
      "  deepvm simulate --plan plan.json --part 1/2 --out part1.bin",
      "  deepvm simulate --compat artifact --trace aws-v100-2023-02 --hours 39.9 --deadline 59h54m",
      "",
      "Exit code 3: the deadline is before the plan could be done undisturbed."
    })
@SuppressWarnings("NullAway.Init")
public final class SimulateCommand implements Callable<Integer> {

  /** What SkyNomad's simulator does not look at. */
  private static final List<String> OURS =
      List.of(
          "--rank",
          "--interval",
          "--timeline",
          "--chart",
          "--gap",
          "--draw",
          "--dependence",
          "--unannounced",
          "--runs",
          "--seed",
          "--threads",
          "--part",
          "--merge");

  private static final String YOUNG = "young";
  private static final String YOUNG_DALY = "young-daly";
  private static final String BEST = "best";

  @Option(
      names = "--plan",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "What 'deepvm plan --output json' wrote (required, but with --compat).")
  private @Nullable Path planFile;

  @Option(
      names = "--rank",
      paramLabel = "K",
      description = "Which of its plans (default: ${DEFAULT-VALUE}).")
  private int rank = 1;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description = {
        "What to do when the market moves (default: ${DEFAULT-VALUE}):",
        "on-demand: All workers on demand, in the cheapest place.",
        "spot: Spot workers only, in the cheapest places that have any.",
        "in-place: The plan as it is: each lost spot worker is replaced where it was lost.",
        "performance-first: Always all workers: on demand what spot lacks.",
        "elastic: Spot workers wherever they are cheapest, on demand as many as the deadline"
            + " needs.",
        "all: these five beside each other.",
        "all-papers: the five and the policies of papers: cost-first, greedy, UP, UP(S), UP(A),"
            + " UP(AP), SkyNomad, SkyNomad[rate_ratio,virtual], SkyNomad(o),"
            + " SkyNomad(o)[rate_ratio], clairvoyant."
      })
  private String policy = Policies.PLAN;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      description = "The job must be done within this (default: the plan's).")
  private @Nullable Duration deadline;

  @Option(
      names = "--hours",
      paramLabel = "H",
      description = "How long all workers would train undisturbed (default: the plan's).")
  private @Nullable Double hours;

  @Option(
      names = "--interval",
      converter = Every.class,
      paramLabel = "DURATION|young|young-daly|best",
      description =
          "Between checkpoints: a time, Young's rule from the losses seen, the same with Daly's"
              + " correction, which checkpoint engines follow, or the cheapest by simulation, with"
              + " the curve (default: the plan's).")
  private @Nullable String interval;

  @Option(
      names = "--place",
      paramLabel = "PLACE",
      description =
          "Policies may rent only there, the plan's own places apart (repeatable; default: wherever"
              + " the market has the plan's instance type).")
  private List<PlaceFilter> places = new ArrayList<>();

  @Option(
      names = "--timeline",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "Draw the run of median cost into this .svg, .png or .html file.")
  private @Nullable Path timeline;

  @Option(
      names = "--chart",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description =
          "Draw how costs and times are spread, or with --interval best the curve, into this .svg,"
              + " .png or .html file.")
  private @Nullable Path chart;

  @Option(
      names = "--compat",
      paramLabel = "artifact",
      description =
          "Run a gang of --hours by --deadline through the zones of --trace as SkyNomad's public"
              + " artifact does, slips included, beside the same with them mended.")
  private @Nullable Compat compat;

  @Mixin private ArtifactSimulation artifact;
  @Mixin private FutureOptions future;
  @Mixin private PartOptions parts;
  @Mixin private OutputOption output;
  @Spec private CommandSpec spec;

  private final Terminal terminal;

  public SimulateCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** A duration above 0, or the name of a rule. */
  static final class Every implements ITypeConverter<String> {

    @Override
    public String convert(String text) {
      List<String> names = List.of(YOUNG, YOUNG_DALY, BEST);
      if (!names.contains(text) && !isDuration(text)) {
        throw new BadInput(
            "'%s' is neither a duration above 0 nor one of %s."
                .formatted(text, String.join(", ", names)),
            Suggestion.maybe(text, names, "Maybe write it like 10min."));
      }
      return text;
    }

    private static boolean isDuration(String text) {
      try {
        return !Durations.parse(text).isZero();
      } catch (BadInput e) {
        return false;
      }
    }
  }

  @Override
  public Integer call() {
    if (compat != null) {
      Ignored.refuse(spec, "with --compat", OURS);
      return asTheOriginal(compat);
    }
    Ignored.refuse(spec, "without --compat", ArtifactSimulation.NAMES);
    check(timeline);
    check(chart);
    parts.check();
    if (parts.used() && BEST.equals(interval)) {
      throw new BadInput(
          "--interval best tries many intervals, which cannot be split into parts.",
          "Maybe find the best one on one machine, and name it here: --interval 10min.");
    }
    List<Policies.Entry> entries = Policies.chosen(policy);
    FutureOptions.Show show =
        Progress.during(terminal, "Reading the market", () -> future.show(run(), places));
    Contest contest =
        new Contest(show.stage(), show.futures(), future.runs, future.seed, future.threads);
    Scenario scenario = show.stage().scenario();
    double fastest = scenario.work() / max(show.stage().run().speeds());
    if (fastest > scenario.deadlineSeconds()) {
      return new NothingFits(
              "The deadline (%s) is shorter than the undisturbed training (%s)."
                  .formatted(print(scenario.deadlineSeconds()), print(fastest)),
              "raise --deadline above %s, or plan more workers".formatted(print(fastest)))
          .print(terminal, output.format, "deepvm/simulation/v1");
    }
    @Nullable IntervalCurve curve = BEST.equals(interval) ? curve(contest, entries.get(0)) : null;
    SaveRule chosen = chosen(curve, show);
    SampleParts.Experimented what =
        new SampleParts.Experimented(
            PartOptions.setting(spec),
            contest.runs(),
            entries.stream().map(Policies.Entry::name).toList());
    @Nullable RunRange range = parts.range(contest.runs());
    if (range != null) {
      return part(contest, entries, chosen, what, range);
    }
    @Nullable SampleParts merged =
        parts.merge.isEmpty()
            ? null
            : SampleParts.merge(parts.merge, what, contest.futures(), contest.seed());
    List<SimulationReport.Standing> standings = new ArrayList<>();
    for (Policies.Entry entry : entries) {
      Sample sample =
          merged == null
              ? sample(contest, entry, chosen, "Simulating " + entry.name())
              : merged.samples().get(standings.size());
      standings.add(
          new SimulationReport.Standing(
              entry.name(), entry.description(), entry.assumedDeadline(show.stage()), sample));
    }
    standings.sort(
        Comparator.comparingDouble((SimulationReport.Standing s) -> s.sample().missed())
            .thenComparingDouble(s -> s.sample().meanUsd()));
    double[] bounds =
        merged == null
            ? Progress.during(terminal, "Bounding", () -> contest.elasticBounds())
            : merged.bounds();
    SimulationReport report =
        new SimulationReport(
            terminal.out(),
            new SimulationReport.Setting(
                show.stage(),
                show.market(),
                show.draw().toString(),
                future.seed,
                chosen,
                bounds,
                losses(contest, show, standings.get(0).policy(), chosen),
                show.notes()),
            standings,
            curve);
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    draw(contest, entries, standings, chosen, curve, bounds);
    if (output.format != Format.JSON) {
      show.notes().forEach(note -> terminal.err().println(note));
    }
    return Exit.DONE;
  }

  /** Simulates some of the runs, and writes their outcomes for --merge. */
  private int part(
      Contest contest,
      List<Policies.Entry> entries,
      @Nullable SaveRule chosen,
      SampleParts.Experimented what,
      RunRange range) {
    List<Sample> samples = new ArrayList<>();
    for (Policies.Entry entry : entries) {
      Scenario scenario = scenario(contest, entry, chosen);
      try (ProgressBar bar =
          new ProgressBar(terminal, "Simulating " + entry.name(), range.size())) {
        samples.add(
            contest.sample(
                scenario, course -> entry.maker().apply(contest.stage(), course), range, bar::at));
      }
    }
    SampleParts outcomes = new SampleParts(samples, contest.elasticBounds(range));
    Path file = Objects.requireNonNull(parts.out);
    AtomicFile.write(file, target -> SampleParts.write(target, what, range, outcomes));
    terminal
        .err()
        .println(
            "Runs %d to %d of %d written to %s"
                .formatted(range.from() + 1, range.to(), contest.runs(), file));
    return Exit.DONE;
  }

  private static Scenario scenario(
      Contest contest, Policies.Entry entry, @Nullable SaveRule chosen) {
    Scenario scenario = entry.scenario().apply(contest.stage());
    return chosen == null ? scenario : scenario.saving(chosen);
  }

  private LossAssumptions losses(
      Contest contest, FutureOptions.Show show, String best, @Nullable SaveRule chosen) {
    LossAssumptions.@Nullable DependenceEffect effect = null;
    if (show.depends()) {
      Policies.Entry entry = Policies.named(best);
      effect =
          new LossAssumptions.DependenceEffect(
              show.dependence().words(),
              sample(few(contest, show, DependenceRule.TOGETHER), entry, chosen, "Together"),
              sample(few(contest, show, DependenceRule.INDEPENDENT), entry, chosen, "Apart"));
    }
    return new LossAssumptions(show.borrowed(), effect, future.unannounced(show.stage()));
  }

  /** Returns some of the runs by another rule of dependence, enough to show what it does. */
  private static Contest few(Contest all, FutureOptions.Show show, DependenceRule rule) {
    Future.Source courses = show.courses().apply(rule);
    int runs = Math.min(all.runs(), LossAssumptions.EFFECT_RUNS);
    return new Contest(
        all.stage(), courses.every(all.runs() / runs), runs, all.seed(), all.threads());
  }

  private int asTheOriginal(Compat whose) {
    if (whose != Compat.ARTIFACT || planFile != null) {
      throw new BadInput(
          "Only SkyNomad's public artifact can be imitated, and it knows no plans.",
          "Maybe use --compat artifact with --trace, --hours and --deadline, without --plan.");
    }
    return artifact.run(
        terminal,
        future.named(),
        places,
        List.of(Policies.USUAL, Policies.PAPERS, Policies.PLAN).contains(policy) ? null : policy,
        hours,
        deadline,
        output);
  }

  private static void check(@Nullable Path file) {
    if (file != null) {
      ChartFormat.of(file);
    }
  }

  private void draw(
      Contest contest,
      List<Policies.Entry> entries,
      List<SimulationReport.Standing> standings,
      @Nullable SaveRule chosen,
      @Nullable IntervalCurve curve,
      double[] bounds) {
    Scenario scenario = contest.stage().scenario();
    if (chart != null) {
      String title =
          "%,d runs of %s"
              .formatted(
                  contest.runs(),
                  contest.stage().run().size() == 1
                      ? "1 worker"
                      : contest.stage().run().size() + " workers");
      Chart drawn =
          curve != null
              ? new IntervalChart(curve, youngDalySeconds(contest), title)
              : new OutcomeChart(
                  standings.stream()
                      .map(s -> new OutcomeChart.Entry(s.policy(), s.sample()))
                      .toList(),
                  finite(Arrays.stream(bounds).average().orElse(Double.NaN)),
                  scenario.deadlineSeconds(),
                  title);
      write(chart, drawn, List.of());
    }
    if (timeline != null) {
      SimulationReport.Standing best = standings.get(0);
      Policies.Entry entry =
          entries.stream().filter(e -> e.name().equals(best.policy())).findFirst().orElseThrow();
      Scenario lived = entry.scenario().apply(contest.stage());
      Scenario timed = chosen == null ? lived : lived.saving(chosen);
      int run = best.sample().medianRun();
      Future course = contest.future(run);
      Timeline written = new Timeline();
      Outcome outcome =
          contest.again(run, timed, entry.maker().apply(contest.stage(), course), written);
      write(
          timeline,
          new TimelineChart(
              written,
              course.market(),
              course.firstTick(),
              timed,
              "The run of median cost under %s".formatted(best.policy())),
          List.of(
              new Chart.Fact("cost", Figures.dollars(outcome.cost().dollars())),
              outcome.finished()
                  ? new Chart.Fact("time", print(outcome.seconds()))
                  : new Chart.Fact("not done within", print(outcome.seconds())),
              new Chart.Fact("deadline met", outcome.metDeadline() ? "yes" : "no"),
              new Chart.Fact("revocations", String.valueOf(outcome.revocations())),
              new Chart.Fact("useful node time", Numbers.percent(outcome.goodput()))));
    }
  }

  private void write(Path file, Chart drawn, List<Chart.Fact> facts) {
    AtomicFile.write(file, target -> drawn.write(target, facts));
    terminal.err().println("Chart written to " + file);
  }

  /** Returns the interval that Daly's rule names for the losses in the market's record. */
  private static @Nullable Double youngDalySeconds(Contest contest) {
    double stall = contest.stage().scenario().checkpointing().stallSeconds();
    SaveRule rule = new SaveRule.Daly(recorded(contest.stage()));
    return finite(rule.seconds(new SaveRule.Cost(stall, 0), 0, 0));
  }

  /** Returns the losses in the market's record, worth one hour of watching. */
  private static SaveRule.Belief recorded(Stage stage) {
    return new SaveRule.Belief(stage.lossesPerNodeHour(), 3600);
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) && value > 0 ? value : null;
  }

  private PlannedRun run() {
    if (planFile == null) {
      throw new BadInput(
          "Missing required option: '--plan=FILE'.",
          "Maybe add it, as in: deepvm simulate --plan plan.json");
    }
    PlannedRun run = PlanFile.read(planFile, rank);
    if (hours != null) {
      if (!(hours > 0)) {
        throw new BadInput(
            "The hours (%s) must be above 0.".formatted(hours), "Maybe write --hours 8.");
      }
      run = run.lasting(hours * 3600);
    }
    return deadline == null ? run : run.by(deadline.toMillis() / 1e3);
  }

  private Sample sample(
      Contest contest, Policies.Entry entry, @Nullable SaveRule chosen, String what) {
    Scenario timed = scenario(contest, entry, chosen);
    try (ProgressBar bar = new ProgressBar(terminal, what, contest.runs())) {
      return contest.sample(timed, future -> entry.maker().apply(contest.stage(), future), bar::at);
    }
  }

  private IntervalCurve curve(Contest contest, Policies.Entry entry) {
    return IntervalCurve.of(
        contest.stage().scenario(),
        every ->
            sample(
                contest,
                entry,
                new SaveRule.Fixed(every),
                "Trying a checkpoint every " + print(every)));
  }

  private @Nullable SaveRule chosen(@Nullable IntervalCurve curve, FutureOptions.Show show) {
    if (curve != null) {
      return new SaveRule.Fixed(curve.best().seconds());
    }
    if (interval == null) {
      return null;
    }
    if (interval.equals(YOUNG_DALY)) {
      return new SaveRule.Daly(recorded(show.stage()));
    }
    if (interval.equals(YOUNG)) {
      return new SaveRule.Young(recorded(show.stage()));
    }
    return new SaveRule.Fixed(Durations.parse(interval).toMillis() / 1e3);
  }

  private static double max(double[] values) {
    double max = 0;
    for (double v : values) {
      max = Math.max(max, v);
    }
    return max;
  }

  private static String print(double seconds) {
    return Durations.print(Durations.ofSeconds(seconds));
  }
}
