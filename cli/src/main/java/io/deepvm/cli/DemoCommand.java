package io.deepvm.cli;

import io.deepvm.cli.print.Paint;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.revocation.Revocations;
import io.deepvm.cluster.revocation.Strike;
import io.deepvm.market.Trace;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.policy.Policies;
import io.deepvm.units.BadInput;
import io.deepvm.units.Durations;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Tells the whole story on this machine: plan, simulate, profile, train through losses, compare.
 */
@Command(
    name = "demo",
    description = {
      "Tells the whole story in about two minutes, on this machine alone: plans a cluster, simulates it,",
      "measures a small model, trains it on four workers while they are taken away, and compares."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm demo"})
@SuppressWarnings("NullAway.Init")
final class DemoCommand implements Callable<Integer> {

  private static final Duration TICK = Duration.ofSeconds(60);

  private static final long SEED = 1;

  // Shares of the undisturbed training at which nodes are lost.
  private static final double ONE_WITH_NOTICE = 0.20;
  private static final double ONE_WITHOUT = 0.42;
  private static final double ALL = 0.65;
  private static final double GONE = 0.06;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Where the plan, the run and the report are kept (default: ${DEFAULT-VALUE}).")
  private Path folder = Path.of("deepvm-demo");

  private final Terminal terminal;

  DemoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (Files.exists(folder)) {
      throw new BadInput(
          "There is a '%s' already.".formatted(folder),
          "Maybe delete it, or name another place with --folder.");
    }
    Files.createDirectories(folder);
    say("1. Plan: the fastest cluster in a zone for $1.20 an hour");
    Path plan = plan();
    say("2. Simulate it on a spot market");
    command("simulate", "--plan", plan.toString(), "--runs", "300");
    say("3. Profile a small model that stands for the job here");
    Path training = folder.resolve("job.yaml");
    DemoJob.write(training);
    PlannedRun planned = PlanFile.read(plan, 1);
    LocalFacts facts = LocalFacts.rehearse(training, planned, null);
    out(facts.toString());
    LocalStage local = stage(planned, facts);
    Outcome outcome = local.foresee(SEED, new Timeline());
    out(
        "An hour of the market passes in %.1f s. Foreseen: $%.2f and %s, that is %.0f s here."
            .formatted(
                3600 / local.speed(),
                outcome.cost().dollars(),
                Durations.print(Durations.ofSeconds(outcome.seconds())),
                outcome.seconds() / local.speed()));
    say("4. Train: one worker is taken with notice, one without, then all at once");
    Path run = folder.resolve("run");
    LocalRunner runner =
        new LocalRunner(
            terminal, run, local, facts.speeds(planned), unannounced(planned, local), SEED);
    RunStatus status = runner.start(runner.training(training, facts));
    say("5. Compare");
    RunPage page =
        runner.page(
            "DeepVM: a plan, its simulation, and the run",
            List.of(
                "A cluster was planned, simulated on a spot market, and lived here by real processes that"
                    + " were killed as the market took them: one with notice, one without, then all at"
                    + " once. The simulator was not told of the one without.",
                facts.toString()));
    page.print(status, terminal);
    Path report = folder.resolve("report.html");
    page.write(report);
    out(RunReport.line(status) + ".");
    out("The page with pictures: " + report);
    return status.state() == RunState.FINISHED ? Exit.DONE : Exit.FAILED_INSIDE;
  }

  private void say(String what) {
    terminal.out().println();
    terminal.out().println(new Paint(terminal.colour()).strong(what));
    terminal.out().flush();
  }

  private void out(String what) {
    terminal.out().println(what);
    terminal.out().flush();
  }

  private Path plan() throws IOException {
    Path job = folder.resolve("demo-job.yaml");
    DemoJob.copy("demo-job.yaml", job);
    List<String> asked =
        List.of(
            "plan",
            "--job",
            job.toString(),
            "--architecture",
            "tiering",
            "--place",
            "aws/us-east-2/use2-az3",
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
    expect(Main.run(quiet, again.toArray(new String[0])), again);
    Path plan = folder.resolve("plan.json");
    AtomicFile.write(plan, file -> Files.writeString(file, json.toString()));
    return plan;
  }

  private void command(String... words) {
    out("$ deepvm " + String.join(" ", words));
    expect(Main.run(terminal, words), List.of(words));
  }

  private static void expect(int code, List<String> words) {
    if (code != Exit.DONE) {
      throw new IllegalStateException(
          "deepvm %s ended with %d".formatted(String.join(" ", words), code));
    }
  }

  /** Sets the plan on a market that takes one worker, and later all, for a while. */
  private static LocalStage stage(PlannedRun planned, LocalFacts facts) {
    double seconds = Objects.requireNonNull(planned.seconds());
    int[] available = new int[(int) Math.ceil(4 * seconds / TICK.toSeconds())];
    Arrays.fill(available, planned.size());
    double boot = bootSeconds(stage(planned, facts, available));
    take(available, seconds, boot, ONE_WITH_NOTICE, planned.size() - 1);
    take(available, seconds, boot, ALL, 0);
    return stage(planned, facts, available);
  }

  private static LocalStage stage(PlannedRun planned, LocalFacts facts, int[] available) {
    PlannedRun.Group group = planned.workers().get(0);
    double[] prices = new double[available.length];
    Arrays.fill(prices, group.pricePerHour().dollars());
    Trace trace =
        new Trace(
            group.pool(),
            null,
            TICK,
            available.clone(),
            planned.size(),
            prices,
            Objects.requireNonNull(group.onDemandPerHour()).dollars());
    Stage stage = Stage.of(planned, List.of(trace), Startup.USUAL, Billing.BY_THE_SECOND);
    return facts.stage(stage, new Future(stage.market(), 0), Policies.named(Policies.PLAN));
  }

  private static double bootSeconds(LocalStage local) {
    return local.scenario().startup().spotBootSeconds();
  }

  private static void take(int[] available, double seconds, double boot, double at, int left) {
    int from = (int) ((boot + seconds * at) / TICK.toSeconds());
    int to = (int) ((boot + seconds * (at + GONE)) / TICK.toSeconds());
    Arrays.fill(available, from, Math.max(from + 1, to), left);
  }

  private static Revocations unannounced(PlannedRun planned, LocalStage local) {
    double seconds = Objects.requireNonNull(planned.seconds());
    double at = bootSeconds(local) + ONE_WITHOUT * seconds;
    return new Revocations.Script(List.of(new Strike(at, -1, 1, 0, 0)));
  }
}
