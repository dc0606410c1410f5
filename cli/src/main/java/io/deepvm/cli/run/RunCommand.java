package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.Durations;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.DependenceRule;
import io.deepvm.cli.options.Draw;
import io.deepvm.cli.options.FutureOptions;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.options.PlanFile;
import io.deepvm.cli.options.SharedOption;
import io.deepvm.cli.options.Values;
import io.deepvm.cli.print.AssumedDeadline;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cli.watch.OpenPage;
import io.deepvm.cli.watch.WatchCommand;
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
import io.deepvm.places.slurm.SlurmSettings;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshSettings;
import io.deepvm.simulator.Contest;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.policy.Policies;
import io.deepvm.trainer.job.TrainingJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Trains by a plan on processes of this machine, or on machines that ssh reaches. */
@Command(
    name = "run",
    description = {
      "Trains by a plan on this machine: its nodes are processes, which a recorded market takes"
          + " away",
      "and gives back. With --on it trains on machines that ssh reaches instead. Trains the"
          + " built-in",
      "model, or runs any command on each node, as torchrun would."
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
      "  deepvm run --on ssh:hosts.yaml --workdir . --setup 'sh setup.sh' -- python3 train.py",
      "",
      "While it runs: deepvm status FOLDER, deepvm stop FOLDER. After Ctrl-C or kill -9: the same"
          + " command with --resume.",
      "Exit code 1: the run failed or was stopped. Exit code 3: the market did not have the nodes."
    })
@SuppressWarnings("NullAway.Init")
public final class RunCommand implements Callable<Integer> {

  /** How long the market's course is, in times after which the simulator gives a run up. */
  private static final double COURSE = 20;

  /** Options that mean nothing on hosts. */
  private static final List<String> OF_PLANS =
      List.of(
          "--plan",
          "--rank",
          "--hours",
          "--trace",
          "--speed",
          "--policy",
          "--seed",
          "--report",
          "--in-place");

  /** The length that policies assume of a command where nothing states one. */
  private static final double UNSTATED_SECONDS = 24 * 3600;

  @Option(
      names = "--plan",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description = "What 'deepvm plan --output json' wrote. Needed without --on.")
  private @Nullable Path planFile;

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
      names = "--in-place",
      description =
          "The command uses deepvm.elastic: when a node is lost, the other processes stay and train"
              + " on.")
  private boolean inPlace;

  @Option(
      names = "--watch",
      description = "Serve the live page of the run while it goes on, and print its address.")
  private boolean watch;

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

  @Mixin private HostsOptions hosts;

  @Mixin private AwsOptions aws;

  @Mixin private CoordinatorOptions coordinator;

  @Mixin private SharedOption shared;

  @Mixin private OutputOption output;

  @Spec private CommandSpec commandSpec;

  private final Terminal terminal;

  public RunCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Policies.Entry entry = Policies.named(policy);
    Work.Timeouts timeouts = Work.Timeouts.USUAL.withSilence(silenceSeconds());
    if (!noticeSignal.isEmpty()) {
      noticeSignal = Signals.named(noticeSignal);
    }
    coordinator.check(hosts.on, resume);
    if (coordinator.concerns(folder) || coordinator.fromStore != null) {
      return onAnchor();
    }
    if (AwsOptions.PLACE.equals(hosts.on)) {
      return onAws();
    }
    refuseAwsOptions();
    if (hosts.on != null) {
      return onHosts();
    }
    requirePlan();
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
    if (inPlace && processesPerNode != null) {
      throw new BadInput(
          "--in-place starts one process a node.", "Maybe leave --nproc-per-node out.");
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
    Map<String, Integer> processes = inPlace ? Map.of() : processes(show.stage().run());
    LocalRoom.check(show.stage().run(), processes);
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
    if (!resume) {
      new RunForecasting(folder, local, seed).startIn(watch ? Duration.ZERO : RunForecasting.LATER);
    }
    RunStatus status =
        watched(
            () ->
                resume
                    ? runner.resume(screen(facts.isCommand()))
                    : runner.start(
                        work(runner, facts, timeouts).withProcesses(processes),
                        screen(facts.isCommand())));
    if (status.state() == RunPhase.INTERRUPTED) {
      return Exit.INTERRUPTED;
    }
    tell(status, runner, facts);
    return exit(status);
  }

  /** What coordinates the run until its end. */
  @FunctionalInterface
  private interface Coordination {
    RunStatus await() throws IOException, InterruptedException;
  }

  /** Coordinates the run, and serves its page meanwhile if that is asked for. */
  @SuppressWarnings("try") // the page only has to be there
  private RunStatus watched(Coordination run) throws IOException, InterruptedException {
    try (OpenPage page = watch ? WatchCommand.announce(folder, terminal) : null) {
      return run.await();
    }
  }

  /** Lets a host coordinate a run. */
  private int onAnchor() throws IOException, InterruptedException {
    LogRanks shown = logs == null ? LogRanks.RANK0 : logs;
    AnchoredRun run =
        new AnchoredRun(terminal, folder, List.of("--logs", shown.name().toLowerCase(Locale.ROOT)));
    RunStatus status;
    if (coordinator.fromStore != null) {
      status = run.restore(hosts, coordinator, kind -> screen(kind == Work.Kind.COMMAND));
    } else if (resume) {
      status = run.resume();
    } else {
      refuse(OF_PLANS, "a run by a plan, and --on trains on the hosts as they are");
      new Resumption(folder).requireNone(terminal.clock());
      shared.run(folder);
      new Resumption(folder).keep(commandSpec.commandLine().getParseResult().originalArgs());
      status = run.start(asked(), hosts, coordinator);
    }
    if (status.state() == RunPhase.INTERRUPTED) {
      return Exit.INTERRUPTED;
    }
    print(new RunReport(status, null, terminal.out()));
    return exit(status);
  }

  /** Trains on machines that the user has, without a plan. */
  private int onHosts() throws IOException, InterruptedException {
    refuse(OF_PLANS, "a run by a plan, and --on trains on the hosts as they are");
    HostsRunner runner = new HostsRunner(terminal, folder);
    RunStatus status;
    if (hosts.on != null && SlurmFile.isPlace(hosts.on)) {
      status = onSlurm(hosts.on);
    } else if (resume) {
      new Resumption(folder).requireOpen(terminal.clock());
      boolean ofCommand = RunFolder.of(folder).spec().work().kind() == Work.Kind.COMMAND;
      status = watched(() -> runner.resume(screen(ofCommand)));
    } else {
      new Resumption(folder).requireNone(terminal.clock());
      RunOnHosts asked = new RunOnHosts(asked(), hosts, folder);
      List<SshHost> all = asked.hosts();
      if (command.isEmpty()) {
        refuseCommandOptions();
      }
      shared.run(folder);
      SshSettings settings = runner.settings(all, asked.shipment());
      settings.write(folder);
      coordinator.keepStore(folder, LocalRunner.name(folder));
      new Resumption(folder).keep(commandSpec.commandLine().getParseResult().originalArgs());
      status =
          watched(
              () ->
                  runner.start(
                      settings,
                      asked.work(settings.run(), all),
                      asked.servers(),
                      screen(!command.isEmpty())));
    }
    if (status.state() == RunPhase.INTERRUPTED) {
      return Exit.INTERRUPTED;
    }
    print(new RunReport(status, null, terminal.out()));
    return exit(status);
  }

  private void refuse(List<String> options, String why) {
    for (String option : options) {
      if (commandSpec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new BadInput("%s is for %s.".formatted(option, why), "Maybe leave one of them out.");
      }
    }
  }

  private RunOnHosts.Asked asked() {
    return new RunOnHosts.Asked(
        command, jobFile, processesPerNode, maxRestarts, noticeSignal, silenceSeconds());
  }

  private RunStatus onSlurm(String place) throws IOException, InterruptedException {
    SlurmRunner runner = new SlurmRunner(terminal, folder);
    if (resume) {
      new Resumption(folder).requireOpen(terminal.clock());
      boolean ofCommand = RunFolder.of(folder).spec().work().kind() == Work.Kind.COMMAND;
      return watched(() -> runner.resume(screen(ofCommand)));
    }
    new Resumption(folder).requireNone(terminal.clock());
    if (command.isEmpty()) {
      refuseCommandOptions();
    }
    SlurmSettings settings = runner.settings(place);
    shared.run(folder);
    Work work = runner.work(asked(), hosts, settings);
    settings.write(folder);
    new Resumption(folder).keep(commandSpec.commandLine().getParseResult().originalArgs());
    return watched(() -> runner.start(settings, work, screen(!command.isEmpty())));
  }

  /** Trains on machines that are rented for the run. */
  private int onAws() throws IOException, InterruptedException {
    for (String option : OF_PLANS) {
      boolean ofAws = option.equals("--plan") || option.equals("--rank");
      if (!ofAws && commandSpec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new BadInput(
            "%s is for a run on this machine, and --on aws rents machines.".formatted(option),
            "Maybe leave one of them out.");
      }
    }
    if (planFile == null) {
      throw new BadInput(
          "--on aws rents the machines of a plan, and there is none.",
          "Maybe add --plan FILE, which 'deepvm plan --output json' writes.");
    }
    PlannedRun run = PlanFile.read(plan(), rank);
    AwsRunner runner = new AwsRunner(terminal, folder, aws);
    RunStatus status;
    if (resume) {
      new Resumption(folder).requireOpen(terminal.clock());
      boolean ofCommand = RunFolder.of(folder).spec().work().kind() == Work.Kind.COMMAND;
      status = watched(() -> runner.resume(run, screen(ofCommand)));
    } else {
      new Resumption(folder).requireNone(terminal.clock());
      if (command.isEmpty()) {
        refuseCommandOptions();
        if (jobFile == null) {
          throw new BadInput(
              "A run on rented machines needs a command or a job to train.",
              "Maybe add -- python3 train.py, or --training-job FILE.");
        }
      }
      RunOnHosts asked =
          new RunOnHosts(
              new RunOnHosts.Asked(
                  command, jobFile, processesPerNode, maxRestarts, noticeSignal, silenceSeconds()),
              hosts,
              folder);
      status =
          watched(() -> runner.start(run, asked, screen(!command.isEmpty()), this::keepFolder));
    }
    if (status.state() == RunPhase.INTERRUPTED) {
      return Exit.INTERRUPTED;
    }
    boolean settled = runner.bill();
    print(new RunReport(status, null, terminal.out()));
    int code = exit(status);
    return settled || code != Exit.DONE ? code : Exit.FAILED_INSIDE;
  }

  private void keepFolder() {
    try {
      shared.run(folder);
      new Resumption(folder).keep(commandSpec.commandLine().getParseResult().originalArgs());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void refuseAwsOptions() {
    String alone =
        aws.withoutAws(
            commandSpec.commandLine().getParseResult().matchedOptions().stream()
                .map(option -> option.longestName())
                .toList());
    if (alone != null) {
      throw new BadInput(
          "%s is for a run on rented machines.".formatted(alone), "Maybe add --on aws.");
    }
  }

  private void requirePlan() {
    String alone = hosts.withoutHosts();
    if (alone != null) {
      throw new BadInput(
          "%s is for a run on hosts.".formatted(alone), "Maybe add --on ssh:hosts.yaml.");
    }
    if (planFile == null) {
      throw new BadInput(
          "A run needs a plan or hosts: --plan FILE or --on ssh:FILE.",
          "Maybe add one, as in: deepvm run --plan small.json");
    }
  }

  private Path plan() {
    return Objects.requireNonNull(planFile, "The run has no plan.");
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

  /** Refuses the options of a command, where the built-in trainer trains. */
  private void refuseCommandOptions() {
    String option =
        processesPerNode != null
            ? "--nproc-per-node"
            : logs != null ? "--logs" : inPlace ? "--in-place" : null;
    if (option != null) {
      throw new BadInput(
          "%s is for a command: the built-in trainer is one process a node, and prints nothing."
              .formatted(option),
          "Maybe leave it out, or name a command after '--'.");
    }
  }

  /** Returns the screen; the output of scripts stays out of results that a program reads. */
  private RunScreen screen(boolean ofCommand) {
    LogRanks shown = !ofCommand ? LogRanks.NONE : logs == null ? LogRanks.RANK0 : logs;
    return new RunScreen(
        terminal,
        new Resumption(folder),
        shown,
        output.format == Format.TABLE ? terminal.out() : terminal.err());
  }

  /** Returns the plan; a command need not say how long it takes. */
  private PlannedRun planned(boolean ofCommand) {
    PlannedRun run = PlanFile.read(plan(), rank);
    if (hours != null) {
      return run.lasting(hours * 3600);
    }
    return ofCommand && run.seconds() == null ? run.lasting(UNSTATED_SECONDS) : run;
  }

  /** Whether the plan or the user states how long the work takes undisturbed. */
  private boolean lengthKnown() {
    return hours != null || PlanFile.read(plan(), rank).seconds() != null;
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
            inPlace ? Work.Kind.MEMBER : Work.Kind.COMMAND,
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
