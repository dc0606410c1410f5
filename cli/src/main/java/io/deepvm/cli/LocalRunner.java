package io.deepvm.cli;

import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.local.LocalProvider;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.revocation.Revocations;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Timeline;
import io.deepvm.trainer.TrainerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Lives a plan on processes of this machine.
 *
 * @param folder where the run's log, checkpoints and nodes are
 * @param speeds of each instance type, 1 for a process nobody slows down
 */
record LocalRunner(
    Terminal terminal,
    Path folder,
    LocalStage local,
    Map<String, Double> speeds,
    Revocations revocations,
    long seed) {

  /** More than the plan's workers: replacements boot while those they replace still live. */
  private static final int SPARE = 4;

  /** How many failures of the processes' own are forgiven. */
  static final int RESTARTS = 3;

  private static final Duration LONGEST = Duration.ofDays(30);

  /** Starts a new run and returns how it ended. */
  RunStatus start(Work work) throws IOException, InterruptedException {
    Path name = folder.toAbsolutePath().normalize().getFileName();
    RunSpec spec =
        RunSpec.of(name == null ? "run" : name.toString(), work)
            .withSamplesPerUnit(local.samplesPerUnit());
    try (RunScreen screen = new RunScreen(terminal);
        Run run = Run.start(folder, spec, setting(screen))) {
      return live(run);
    }
  }

  /** Goes on with a run whose coordinator died, and returns how it ended. */
  RunStatus resume() throws IOException, InterruptedException {
    try (RunScreen screen = new RunScreen(terminal)) {
      events().forEach(screen::remember);
      try (Run run = Run.resume(folder, setting(screen))) {
        return live(run);
      }
    }
  }

  /** Returns the work of the built-in trainer, whose checkpoints are kept in the run's folder. */
  static Work training(Path folder, Path job, LocalFacts facts) throws IOException {
    return new Work(
        TrainerProcess.command(job),
        Work.Kind.MEMBER,
        facts.environment(),
        checkpoints(folder),
        RESTARTS,
        "",
        Work.Timeouts.USUAL);
  }

  /** Makes the folder for checkpoints, which outlives the nodes. */
  static String checkpoints(Path folder) throws IOException {
    return Files.createDirectories(folder.resolve("checkpoints")).toAbsolutePath().toString();
  }

  /** Returns the page that tells of the run. */
  RunPage page(String title, List<String> story) throws IOException {
    Timeline foreseen = new Timeline();
    Outcome outcome = local.foresee(seed, foreseen);
    return new RunPage(title, story, events(), local, outcome, foreseen);
  }

  /** Returns everything that has happened. */
  List<Logged> events() throws IOException {
    return EventLog.read(RunFolder.of(folder).events());
  }

  private Setting setting(RunScreen screen) {
    LocalProvider provider =
        new LocalProvider(
            new LocalProvider.Options(local.scenario().workers() + SPARE, 0, 0, speeds, null));
    return new Setting(
        provider,
        local.future().market(),
        local.future().firstTick(),
        local.speed(),
        local.scenario(),
        local.newPolicy(),
        revocations,
        seed,
        Clock.systemUTC(),
        screen);
  }

  private static RunStatus live(Run run) throws InterruptedException {
    // Ctrl-C ends the nodes too.
    Thread hook = new Thread(run::close, "deepvm-run-end");
    Runtime.getRuntime().addShutdownHook(hook);
    RunStatus status = run.await(LONGEST);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the process is ending already
    }
    return status;
  }
}
