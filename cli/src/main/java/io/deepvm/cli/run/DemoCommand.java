package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.Durations;
import io.deepvm.base.PrivateFiles;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.PlanFile;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.market.Trace;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.places.recorded.Strike;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.policy.Policies;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.ToIntBiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Shows the whole story on this machine: plan, simulate, profile, train through losses, compare.
 */
@Command(
    name = "demo",
    description = {
      "Shows the whole story in about two minutes, on this machine alone.",
      "It plans a cluster, simulates it, measures a small model, trains it on four workers while they",
      "are taken away, and compares."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm demo"})
@SuppressWarnings("NullAway.Init")
public final class DemoCommand implements Callable<Integer> {

  private static final Duration TICK = Duration.ofSeconds(60);

  private static final long SEED = 1;

  // Shares of the undisturbed training.
  private static final double BETWEEN_LOSSES = 0.12;
  private static final double GONE = 0.06;
  private static final double AT_MOST = 60;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Where the plan, the run and the report are kept (default: ${DEFAULT-VALUE}).")
  private Path folder = Path.of("deepvm-demo");

  private final Terminal terminal;
  private final ToIntBiFunction<Terminal, String[]> deepvm;

  /** Makes the command; deepvm runs another command and returns its exit code. */
  public DemoCommand(Terminal terminal, ToIntBiFunction<Terminal, String[]> deepvm) {
    this.deepvm = deepvm;
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (Files.exists(folder)) {
      throw new BadInput(
          "There is a '%s' already.".formatted(folder),
          "Maybe delete it, or name another place with --folder.");
    }
    PrivateFiles.folder(folder);
    say("1. Plan: the fastest cluster in a zone for $1.20 an hour");
    Path plan = plan();
    say("2. Simulate it on a spot market");
    command("simulate", "--plan", plan.toString(), "--runs", "300");
    say("3. Profile a small model that stands for the job here");
    Path training = folder.resolve("job.yaml");
    PlannedRun planned = PlanFile.read(plan, 1);
    LocalFacts facts = profile(training, planned);
    out(facts.toString());
    Course course = Course.of(planned, facts);
    LocalStage simulated = stage(planned, facts, course.withUnannounced());
    Outcome outcome = simulated.foresee(SEED, new Timeline());
    out(
        "An hour of the market passes in %.1f s. Foreseen: $%.2f and %s%s, that is %.0f s here."
            .formatted(
                3600 / simulated.speed(),
                outcome.cost().dollars(),
                outcome.finished() ? "" : "not done within ",
                Durations.print(Durations.ofSeconds(outcome.seconds())),
                outcome.seconds() / simulated.speed()));
    say("4. Train: one worker is taken with notice, one without, then all at once");
    Path run = folder.resolve("run");
    LocalRunner runner =
        new LocalRunner(
            terminal,
            run,
            stage(planned, facts, course.announced()),
            facts.speeds(planned),
            course.unannounced(),
            SEED);
    RunStatus status =
        runner.start(
            runner.training(training, facts, Work.Timeouts.USUAL),
            new RunScreen(terminal, new Resumption(run)));
    say("5. Compare");
    RunPage page =
        runner.page(
            "DeepVM: a plan, its simulation, and the run",
            List.of(
                "A cluster was planned, simulated on a spot market, and lived here by real"
                    + " processes that were killed as the market took them: one with notice, one"
                    + " without, then all at once.",
                facts.toString()),
            simulated);
    page.print(status, terminal);
    Path report = folder.resolve("report.html");
    page.write(report);
    out(RunReport.line(status) + ".");
    out("The page with pictures: " + report);
    return status.state() == RunPhase.FINISHED ? Exit.DONE : Exit.FAILED_INSIDE;
  }

  private LocalFacts profile(Path training, PlannedRun planned)
      throws IOException, InterruptedException {
    Progress progress = new Progress(terminal, "Training for a while", Duration.ofSeconds(1));
    try {
      return LocalFacts.ofStandIn(training, planned, null);
    } finally {
      progress.close();
    }
  }

  private void say(String what) {
    terminal.out().println();
    terminal.out().println(terminal.paint().strong(what));
    terminal.out().flush();
  }

  private void out(String what) {
    terminal.out().println(what);
    terminal.out().flush();
  }

  private Path plan() throws IOException {
    Path job = folder.resolve("demo-job.yaml");
    DemoJob.writePlanned(job);
    List<String> asked =
        List.of(
            "plan",
            "--job",
            job.toString(),
            "--architecture",
            "tiering",
            "--place",
            "aws/us-east-2/use2-az3",
            // A larger GPU would do the job alone, and a story of losses needs survivors.
            "--gpu",
            "T4",
            "--max-price-per-hour",
            "1.2",
            "--top",
            "1");
    command(asked.toArray(new String[0]));
    StringWriter json = new StringWriter();
    List<String> again = new ArrayList<>(asked);
    again.addAll(List.of("--output", "json"));
    Terminal quiet =
        new Terminal(
            new PrintWriter(json),
            new PrintWriter(new StringWriter()),
            false,
            false,
            false,
            terminal.clock());
    expect(deepvm.applyAsInt(quiet, again.toArray(new String[0])), again);
    Path plan = folder.resolve("plan.json");
    AtomicFile.write(plan, file -> Files.writeString(file, json.toString()));
    return plan;
  }

  private void command(String... words) {
    out("$ deepvm " + String.join(" ", words));
    expect(deepvm.applyAsInt(terminal, words), List.of(words));
  }

  private static void expect(int code, List<String> words) {
    if (code != Exit.DONE) {
      throw new IllegalStateException(
          "deepvm %s ended with %d".formatted(String.join(" ", words), code));
    }
  }

  /** Sets the plan on a market that has this many workers in each tick. */
  private static LocalStage stage(PlannedRun planned, LocalFacts facts, int[] available) {
    PlannedRun.Group group = planned.workers().get(0);
    double[] prices = new double[available.length];
    Arrays.fill(prices, group.pricePerHour().dollars());
    Trace trace =
        new Trace(
            group.pool(),
            null,
            TICK,
            available,
            planned.size(),
            prices,
            Objects.requireNonNull(group.onDemandPerHour()).dollars());
    Stage stage = Stage.of(planned, List.of(trace), Startup.USUAL, Billing.BY_THE_SECOND);
    return facts.stage(stage, new Future(stage.market(), 0), Policies.named(Policies.PLAN));
  }

  /**
   * What the market does.
   *
   * @param announced the workers it has in each tick, which it announces
   * @param unannouncedTick when it takes one without a word
   */
  private record Course(int[] announced, int unannouncedTick) {

    /** Takes one worker; when it is replaced, another; when that is, all. */
    static Course of(PlannedRun planned, LocalFacts facts) {
      double seconds = Objects.requireNonNull(planned.seconds());
      int[] available = new int[(int) Math.ceil(AT_MOST * seconds / TICK.toSeconds())];
      Arrays.fill(available, planned.size());
      double boot = stage(planned, facts, available.clone()).scenario().startup().spotBootSeconds();
      double between = boot + BETWEEN_LOSSES * seconds;
      double gone = GONE * seconds;
      double first = between;
      double second = first + gone + between;
      double third = second + between;
      take(available, first, gone, planned.size() - 1);
      take(available, third, gone, 0);
      return new Course(available, tick(second));
    }

    private static void take(int[] available, double from, double seconds, int left) {
      Arrays.fill(available, tick(from), Math.max(tick(from) + 1, tick(from + seconds)), left);
    }

    private static int tick(double seconds) {
      return (int) (seconds / TICK.toSeconds());
    }

    Revocations unannounced() {
      double at = unannouncedTick * (double) TICK.toSeconds();
      return new Revocations.Script(List.of(new Strike(at, -1, 1, 0, 0)));
    }

    /** Returns a market like it for the simulator, whose markets all warn before they take. */
    int[] withUnannounced() {
      int[] available = announced.clone();
      available[unannouncedTick]--;
      return available;
    }
  }
}
