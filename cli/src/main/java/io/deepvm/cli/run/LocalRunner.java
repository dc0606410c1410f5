package io.deepvm.cli.run;

import io.deepvm.base.DataSize;
import io.deepvm.base.PrivateFiles;
import io.deepvm.catalog.Market;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.options.Values;
import io.deepvm.cluster.Emulation;
import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.local.LocalOptions;
import io.deepvm.places.recorded.Playback;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.simulator.Outcome;
import io.deepvm.simulator.Timeline;
import io.deepvm.trainer.TrainerProcess;
import io.deepvm.transport.Security;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /** The variable that names the anchors to trainers. */
  private static final String ANCHORS = "DEEPVM_ANCHORS";

  /** More than the plan's workers: replacements boot while those they replace still live. */
  private static final int SPARE = 4;

  /** How many failures of the processes' own are forgiven. */
  static final int RESTARTS = 3;

  private static final Duration LONGEST = Duration.ofDays(30);

  /** What the anchor may take of the memory; more goes to its disk. */
  private static final DataSize ANCHOR_MEMORY = DataSize.parse("256MB");

  /**
   * Starts a new run and returns how it ended.
   *
   * @param screen closed at the end
   */
  @SuppressWarnings("try") // the anchor only has to be there
  RunStatus start(Work work, RunScreen screen) throws IOException, InterruptedException {
    RunSpec spec =
        RunSpec.of(name(folder), work)
            .withSamplesPerUnit(local.samplesPerUnit())
            .withServers(local.servers(), 0);
    try (screen;
        Run run = Run.start(folder, spec, setting(screen));
        AnchorService anchor = anchor(spec.work())) {
      return run.await(LONGEST);
    }
  }

  /** Returns what a run in the folder is called, or refuses the folder. */
  static String name(Path folder) {
    Path last = folder.toAbsolutePath().normalize().getFileName();
    String name = last == null ? "run" : last.toString();
    RunSpec.requireName(name);
    return name;
  }

  /** Goes on with a run that was interrupted or whose coordinator died; returns how it ended. */
  @SuppressWarnings("try") // the anchor only has to be there
  RunStatus resume(RunScreen screen) throws IOException, InterruptedException {
    try (screen) {
      events().forEach(screen::remember);
      try (Run run = Run.resume(folder, setting(screen));
          AnchorService anchor = anchor(RunFolder.of(folder).spec().work())) {
        return run.await(LONGEST);
      }
    }
  }

  /** Returns the work of the built-in trainer, whose checkpoints are kept in the run's folder. */
  Work training(Path job, LocalFacts facts, Work.Timeouts timeouts) throws IOException {
    Map<String, String> environment = new HashMap<>(facts.environment());
    if (local.scenario().anchors() > 0) {
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        environment.put(ANCHORS, "127.0.0.1:" + free.getLocalPort());
      }
    }
    return new Work(
        TrainerProcess.briefCommand(job),
        Work.Kind.MEMBER,
        environment,
        checkpoints(folder),
        RESTARTS,
        "",
        timeouts);
  }

  /** Opens the plan's anchor, beside the coordinator; null when the work knows of none. */
  private @Nullable AnchorService anchor(Work work) throws IOException {
    String address = work.environment().get(ANCHORS);
    if (address == null) {
      return null;
    }
    AnchorService anchor =
        new AnchorService(
            AnchorOptions.of(Values.address(address), ANCHOR_MEMORY, folder.resolve("anchor"))
                .withSecurity(Security.of(RunFolder.of(folder).secrets())));
    try {
      anchor.start();
      return anchor;
    } catch (IOException e) {
      anchor.close();
      terminal
          .err()
          .println(
              "The anchor cannot listen on %s (%s), so checkpoints go to the folder alone."
                  .formatted(address, e.getMessage()));
      return null;
    }
  }

  /** Makes the folder for checkpoints, which outlives the nodes. */
  static String checkpoints(Path folder) throws IOException {
    return PrivateFiles.folder(folder.resolve("checkpoints")).toAbsolutePath().toString();
  }

  /** Returns the page about the run, beside what the simulator says of a stage. */
  RunPage page(String title, List<String> story, LocalStage simulated) throws IOException {
    Timeline foreseen = new Timeline();
    Outcome outcome = simulated.foresee(seed, foreseen);
    return new RunPage(title, story, events(), simulated, outcome, foreseen);
  }

  /** Returns everything that has happened. */
  List<Logged> events() throws IOException {
    return EventLog.read(RunFolder.of(folder).events());
  }

  private Setting setting(RunScreen screen) {
    LocalOptions options =
        new LocalOptions(
            local.scenario().workers() + local.servers() + SPARE,
            local.bootSeconds(Market.SPOT),
            local.bootSeconds(Market.ON_DEMAND),
            speeds,
            null);
    Playback playback =
        new Playback(
            local.future().market(), local.future().firstTick(), local.speed(), revocations, seed);
    return new Setting(
        Setting.recorded(options, playback),
        local.speed(),
        local.scenario(),
        local.newPolicy(),
        new Emulation(local.freshSeconds()),
        screen);
  }
}
