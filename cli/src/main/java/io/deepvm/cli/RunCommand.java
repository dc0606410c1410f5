package io.deepvm.cli;

import io.deepvm.cli.print.AssumedDeadline;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.agent.Signals;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.market.Markets;
import io.deepvm.market.Recording;
import io.deepvm.market.SpotMarket;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.simulator.Contest;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.policy.Policies;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.units.BadInput;
import io.deepvm.units.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Trains by a plan, on processes of this machine that come and go as the market says. */
@Command(
    name = "run",
    description = {
      "Trains by a plan on this machine: its nodes are processes, which a recorded market takes"
          + " away",
      "and gives back. Trains the built-in model, or runs any command on each node, as torchrun"
          + " would."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Examples:",
      "  deepvm plan --max-price-per-hour 1.2 --place aws/us-east-2/use2-az3 \\",
      "    --job examples/resnet50.yaml --output json > small.json",
      "  deepvm run --plan small.json --report run.html",
      "  deepvm run --plan small.json --folder v100 --trace aws-v100-2023-02 --speed 600",
      "  deepvm run --plan small.json --folder ddp --speed 600 --logs all -- \\",
      "    python3 examples/ddp.py --checkpoint ddp.pt",
      "",
      "While it runs: deepvm status FOLDER, deepvm stop FOLDER. After Ctrl-C or kill -9: the same"
          + " command with --resume.",
      "Exit code 1: the run failed or was stopped. Exit code 3: the market did not have the nodes."
    })
@SuppressWarnings("NullAway.Init")
final class RunCommand implements Callable<Integer> {

  /** How long the market's course is, in times after which the simulator gives a run up. */
  private static final double COURSE = 20;

  /** The length that policies assume of a command where nothing states one. */
  private static final double UNSTATED_SECONDS = 24 * 3600;

  @Option(
      names = "--plan",
      converter = GivenPath.Source.class,
      required = true,
      paramLabel = "FILE",
      description = "What 'deepvm plan --output json' wrote.")
  private Path planFile;

  @Option(
      names = "--rank",
      paramLabel = "K",
      description = "Which of its plans (default: ${DEFAULT-VALUE}).")
  private int rank = 1;

  @Option(
      names = "--training-job",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description =
          "What the built-in trainer trains (default: a small image classifier, for a minute).")
  private @Nullable Path jobFile;

  @Option(
      names = "--hours",
      paramLabel = "H",
      description = "How long all workers would train undisturbed (default: the plan's).")
  private @Nullable Double hours;

  @Option(
      names = "--trace",
      paramLabel = "NAME|FILE",
      description =
          "The market to live through: gcp-h100-2025-10, aws-v100-2023-02, a file or a folder"
              + " (default: the built-in one that has the plan's workers, else a model).")
  private @Nullable String trace;

  @Option(
      names = "--speed",
      paramLabel = "X",
      description =
          "Seconds of the market in one second (default: so that training here lasts as long as the"
              + " plan says, in the market's time; 1 for a command).")
  private @Nullable String speed;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description =
          "What to do when the market moves, as in 'simulate' (default: ${DEFAULT-VALUE}).")
  private String policy = Policies.PLAN;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Which course of the market, and who is taken (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Where the run's log and checkpoints are (default: ${DEFAULT-VALUE}).")
  private Path folder = Path.of("deepvm-run");

  @Option(
      names = "--resume",
      description = "Go on with the run in the folder, after Ctrl-C or kill -9.")
  private boolean resume;

  @Option(
      names = "--max-restarts",
      paramLabel = "N",
      description =
          "How many failures of the command's own are forgiven (default: ${DEFAULT-VALUE}).")
  private int maxRestarts = LocalRunner.RESTARTS;

  @Option(
      names = "--nproc-per-node",
      paramLabel = "N|auto|gpu",
      description = {
        "How many processes of a command each node starts (default: auto):",
        "auto: one for each GPU of the plan's instance type, 1 without GPUs;",
        "gpu: one for each GPU; a type without GPUs is refused."
      })
  private @Nullable String processesPerNode;

  @Option(
      names = "--logs",
      paramLabel = "rank0|all|none",
      description =
          "Which processes of a command print here, each line after its rank (default: rank0).")
  private @Nullable LogRanks logs;

  @Option(
      names = "--notice-signal",
      paramLabel = "NAME",
      description =
          "Sent to a command whose node will be taken, such as TERM or USR1 (default: none).")
  private String noticeSignal = "";

  @Option(
      names = "--silence",
      paramLabel = "DURATION",
      description =
          "How long all processes of a command may print nothing, or the built-in trainer make no"
              + " step, before they count as hung, 0 for ever (default: ${DEFAULT-VALUE}).")
  private String silence = "30min";

  @Option(
      names = "--report",
      paramLabel = "FILE.html",
      converter = GivenPath.Target.class,
      description = "Write a page with pictures of how it went.")
  private @Nullable Path report;

  @Parameters(
      arity = "0..*",
      paramLabel = "-- COMMAND",
      description = "A training command for each node (default: the built-in trainer).")
  private List<String> command = new ArrayList<>();

  @Mixin private SharedOption shared;

  @Mixin private OutputOption output;

  @Spec private CommandSpec commandSpec;

  private final Terminal terminal;

  RunCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Policies.Entry entry = Policies.named(policy);
    Work.Timeouts timeouts = Work.Timeouts.USUAL.withSilence(silenceSeconds());
    if (!noticeSignal.isEmpty()) {
      noticeSignal = Signals.named(noticeSignal);
    }
    if (resume) {
      new Resumption(folder).requireOpen(terminal.clock());
    } else {
      String unused = LocalRunner.name(folder);
      new Resumption(folder).requireNone(terminal.clock());
    }
    boolean ofCommand = resume ? LocalFacts.read(folder).isCommand() : !command.isEmpty();
    if (!ofCommand) {
      refuseCommandOptions();
    }
    FutureOptions.Show show =
        Progress.during(terminal, "Reading the market", () -> show(planned(ofCommand)));
    show.notes().forEach(note -> terminal.err().println(note));
    if (show.borrowed() != null) {
      terminal.err().println(show.borrowed().ofOneRun());
    }
    if (show.depends()) {
      terminal.err().println("Nodes of a zone %s.".formatted(show.dependence().words()));
    }
    tellOfDeadline(entry, show.stage());
    tellOfRecord(show);
    Map<String, Integer> processes = processes(show.stage().run());
    checkRoom(show.stage().run(), processes);
    processes.forEach(this::announce);
    LocalFacts facts = resume ? LocalFacts.read(folder) : measured(show.stage().run());
    Future future = future(show);
    LocalStage local = facts.stage(show.stage(), future, entry);
    LocalRunner runner =
        new LocalRunner(
            terminal,
            folder,
            local,
            facts.speeds(show.stage().run()),
            new Revocations.OfMarket(),
            seed);
    if (!resume) {
      shared.run(folder);
      facts.write(folder);
      new Resumption(folder).keep(commandSpec.commandLine().getParseResult().originalArgs());
    }
    RunStatus status =
        resume
            ? runner.resume(screen(facts))
            : runner.start(work(runner, facts, timeouts).withProcesses(processes), screen(facts));
    if (status.state() == RunPhase.INTERRUPTED) {
      return Exit.INTERRUPTED;
    }
    tell(status, runner, facts);
    return exit(status);
  }

  /** Says which deadline the policy keeps, where none was given. */
  private void tellOfDeadline(Policies.Entry entry, Stage stage) {
    String kept =
        AssumedDeadline.sentence(
            stage.scenario().work(),
            List.of(new AssumedDeadline(entry.name(), entry.assumedDeadline(stage))));
    if (kept != null) {
      terminal.err().println(kept);
    }
  }

  /** Returns the exit code of a run, and says what may help one that found no nodes. */
  private int exit(RunStatus status) {
    if (status.state() == RunPhase.INFEASIBLE) {
      terminal.err().println("The run was given up: %s.".formatted(status.reason()));
      terminal
          .err()
          .println(
              "Maybe plan with more places or another instance type, or take a --policy that also"
                  + " rents on demand.");
      return Exit.INFEASIBLE;
    }
    return status.state() == RunPhase.FINISHED ? Exit.DONE : Exit.FAILED_INSIDE;
  }

  /** Returns how many processes each instance type starts; the built-in trainer starts one. */
  private Map<String, Integer> processes(PlannedRun run) {
    return command.isEmpty()
        ? Map.of()
        : ProcessesPerNode.of(
            processesPerNode == null ? ProcessesPerNode.AUTO : processesPerNode, run);
  }

  private void announce(String instanceType, int processes) {
    if (processes > 1) {
      terminal.err().println(starts(instanceType, processes));
    }
  }

  private static String starts(String instanceType, int processes) {
    return "Each %s starts %d process%s."
        .formatted(instanceType, processes, processes == 1 ? "" : "es");
  }

  /** Processes that get too little of a core each are no picture of machines any more. */
  private static void checkRoom(PlannedRun run, Map<String, Integer> processes) {
    int room = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());
    int total = ProcessesPerNode.total(processes, run);
    if (run.size() > room) {
      throw new BadInput(
          "The plan has %d workers, and this machine can play %d.".formatted(run.size(), room),
          "Maybe plan with a smaller --max-price-per-hour, or take another of its plans by"
              + " --rank.");
    } else if (total > room) {
      throw new BadInput(
          "The plan's %d nodes start %d processes, and this machine can play %d."
              .formatted(run.size(), total, room),
          "Maybe start fewer on each node: --nproc-per-node %d.".formatted(room / run.size()));
    }
  }

  /** Refuses the options of a command, where the built-in trainer trains. */
  private void refuseCommandOptions() {
    String option = processesPerNode != null ? "--nproc-per-node" : logs != null ? "--logs" : null;
    if (option != null) {
      throw new BadInput(
          "%s is for a command: the built-in trainer is one process a node, and prints nothing."
              .formatted(option),
          "Maybe leave it out, or name a command after '--'.");
    }
  }

  /** Returns the screen; the output of scripts stays out of results that a program reads. */
  private RunScreen screen(LocalFacts facts) {
    LogRanks shown = !facts.isCommand() ? LogRanks.NONE : logs == null ? LogRanks.RANK0 : logs;
    return new RunScreen(
        terminal,
        new Resumption(folder),
        shown,
        output.format == Format.TABLE ? terminal.out() : terminal.err());
  }

  /** Returns the plan; a command need not say how long it takes. */
  private PlannedRun planned(boolean ofCommand) {
    PlannedRun run = PlanFile.read(planFile, rank);
    if (hours != null) {
      return run.lasting(hours * 3600);
    }
    return ofCommand && run.seconds() == null ? run.lasting(UNSTATED_SECONDS) : run;
  }

  /** Whether the plan or the user states how long the work takes undisturbed. */
  private boolean lengthKnown() {
    return hours != null || PlanFile.read(planFile, rank).seconds() != null;
  }

  private FutureOptions.Show show(PlannedRun run) {
    FutureOptions future = new FutureOptions();
    future.runs = 1;
    future.seed = seed;
    Recording record = trace == null ? future.recording(run) : Markets.load(trace);
    return future.show(run, record, List.of());
  }

  /**
   * Returns the record from its beginning; where there is none, a course drawn from the model. It
   * goes on well beyond the time in which the simulator gives a run up.
   */
  private Future future(FutureOptions.Show show) {
    Future.Source source =
        trace != null && show.draw() != Draw.MODEL
            ? FutureOptions.split(
                (run, own) -> new Future(show.stage().market(), 0),
                show.stage(),
                DependenceRule.MEASURED)
            : show.futures();
    Future.Source goingOn = Future.goingOn(source, COURSE * show.aheadSeconds());
    return new Contest(show.stage(), goingOn, 1, seed, 1).future(0);
  }

  /** Says what follows the end of a market's record. */
  private void tellOfRecord(FutureOptions.Show show) {
    if (show.draw() == Draw.STARTS || (trace != null && show.draw() != Draw.MODEL)) {
      SpotMarket record = show.stage().market();
      terminal
          .err()
          .println(
              "The market's record lasts %.0f h. For a run that takes longer it begins again."
                  .formatted(record.ticks() * record.tickSeconds() / 3600));
    }
  }

  /** Finds out how fast this machine trains; a command says nothing before it runs. */
  private LocalFacts measured(PlannedRun run) throws IOException, InterruptedException {
    Double asked = speed == null ? null : Values.speed(speed);
    if (!command.isEmpty()) {
      return LocalFacts.ofCommand(asked == null ? 1 : asked);
    }
    if (jobFile != null) {
      // a job that cannot be read leaves no folder behind
      TrainingJob unused = TrainingJob.read(jobFile);
    }
    shared.run(folder);
    Path job = folder.resolve("job.yaml");
    Progress progress = new Progress(terminal, "Rehearsing", Duration.ofSeconds(1));
    try {
      if (jobFile == null) {
        return LocalFacts.ofStandIn(job, run, asked);
      }
      AtomicFile.writePrivate(job, Files.readString(jobFile));
      return LocalFacts.rehearse(job, run, asked);
    } finally {
      progress.close();
    }
  }

  private double silenceSeconds() {
    return silence.equals("0") ? 0 : Durations.parse(silence).toMillis() / 1000.0;
  }

  private Work work(LocalRunner runner, LocalFacts facts, Work.Timeouts timeouts)
      throws IOException {
    return command.isEmpty()
        ? runner.training(folder.resolve("job.yaml"), facts, timeouts)
        : new Work(
            command,
            Work.Kind.COMMAND,
            Map.of(),
            LocalRunner.checkpoints(folder),
            maxRestarts,
            noticeSignal,
            timeouts,
            // as torchrun does: names of files in the command are meant from here
            Path.of("").toAbsolutePath().toString(),
            Map.of());
  }

  private void tell(RunStatus status, LocalRunner runner, LocalFacts facts) throws IOException {
    if (facts.isCommand()) {
      print(new RunReport(status, null, terminal.out()));
      if (report != null) {
        new CommandPage(page(status, runner, facts), lengthKnown()).write(report);
        terminal.err().println("Report written to " + report);
      }
      return;
    }
    RunPage page = page(status, runner, facts);
    print(new RunReport(status, page.foreseen(), terminal.out()));
    if (output.format == Format.TABLE) {
      terminal.out().println();
      page.print(status, terminal);
    }
    if (report != null) {
      page.write(report);
      terminal.err().println("Report written to " + report);
    }
  }

  private RunPage page(RunStatus status, LocalRunner runner, LocalFacts facts) throws IOException {
    List<String> story = new ArrayList<>();
    if (facts.isCommand()) {
      Work work = RunFolder.of(folder).spec().work();
      story.add("The command on each node: " + String.join(" ", work.command()));
      new TreeMap<>(work.processes()).forEach((type, count) -> story.add(starts(type, count)));
    }
    story.add(facts.toString());
    return runner.page("The run '%s'".formatted(status.run()), story, runner.local());
  }

  private void print(RunReport said) {
    switch (output.format) {
      case TABLE -> said.table(terminal.paint());
      case JSON -> said.json();
      case CSV -> said.csv();
    }
  }
}
