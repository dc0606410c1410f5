package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.slurm.Slurm;
import io.deepvm.places.slurm.SlurmCloud;
import io.deepvm.places.slurm.SlurmPool;
import io.deepvm.places.slurm.SlurmSettings;
import io.deepvm.simulator.policy.InPlace;
import io.deepvm.trainer.TrainerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Trains on nodes of a Slurm cluster that share this computer's files.
 *
 * @param folder where the run's log is; the nodes must see it under the same path
 */
record SlurmRunner(Terminal terminal, Path folder) {

  private static final Duration LONGEST = Duration.ofDays(365);

  /** A job may wait in the queue for days; its agent reports soon after it starts. */
  private static final double QUEUE_SECONDS = 7 * 24 * 3600;

  private static final double JOIN_SECONDS = 0.5;

  /** For this long the first generation waits for more nodes. */
  private static final double FIRST_SECONDS = 30;

  private static final double BLAME_SECONDS = 1;

  /** Returns what a new run needs to know of its cluster. */
  SlurmSettings settings(String place) {
    String run = "%s-%08x".formatted(LocalRunner.name(folder), new SecureRandom().nextInt());
    return SlurmFile.ofPlace(place, run);
  }

  /** Returns what every node does. */
  Work work(RunOnHosts.Asked asked, HostsOptions options, SlurmSettings settings)
      throws IOException {
    if (!options.setup.isEmpty()) {
      throw new BadInput(
          "--setup is for hosts that share no files, and the nodes of --on slurm do.",
          "Maybe run it once by hand: %s".formatted(options.setup));
    }
    Path job = asked.job();
    boolean ofCommand = !asked.command().isEmpty();
    if (ofCommand == (job != null)) {
      throw new BadInput(
          "A run on Slurm needs either a command or a job to train.",
          "Maybe add -- python3 train.py, or --training-job FILE.");
    }
    Map<String, Integer> processes = new TreeMap<>();
    if (ofCommand) {
      settings.pools().forEach(pool -> processes.put(pool.name(), processes(asked, pool)));
    }
    Path start = options.workdir == null ? Path.of("") : options.workdir;
    String checkpoints =
        options.checkpoints == null
            ? LocalRunner.checkpoints(folder)
            : Path.of(options.checkpoints).toAbsolutePath().toString();
    return new Work(
        job == null ? asked.command() : TrainerProcess.command(job),
        ofCommand ? Work.Kind.COMMAND : Work.Kind.MEMBER,
        Map.of(),
        checkpoints,
        asked.maxRestarts(),
        asked.noticeSignal(),
        HostsRunner.timeouts(asked.silenceSeconds()),
        ofCommand ? start.toAbsolutePath().normalize().toString() : "",
        processes);
  }

  private static int processes(RunOnHosts.Asked asked, SlurmPool pool) {
    String text = asked.processesPerNode();
    return ProcessesPerNode.of(
        text == null ? ProcessesPerNode.AUTO : text, pool.name(), (double) pool.gpus());
  }

  /**
   * Starts a new run and returns how it ended.
   *
   * @param screen closed at the end
   */
  RunStatus start(SlurmSettings settings, Work work, RunScreen screen)
      throws IOException, InterruptedException {
    RunSpec spec =
        RunSpec.of(LocalRunner.name(folder), work)
            .withPatience(QUEUE_SECONDS, JOIN_SECONDS, FIRST_SECONDS, BLAME_SECONDS);
    try (screen;
        Run run = Run.start(folder, spec, setting(settings, screen))) {
      return run.await(LONGEST);
    }
  }

  /** Goes on with a run that was interrupted or whose coordinator died; returns how it ended. */
  RunStatus resume(RunScreen screen) throws IOException, InterruptedException {
    try (screen) {
      EventLog.read(RunFolder.of(folder).events()).forEach(screen::remember);
      try (Run run = Run.resume(folder, setting(SlurmSettings.read(folder), screen))) {
        return run.await(LONGEST);
      }
    }
  }

  private static Setting setting(SlurmSettings settings, RunScreen screen) {
    int[] counts = settings.pools().stream().mapToInt(SlurmPool::nodes).toArray();
    int all = settings.pools().stream().mapToInt(SlurmPool::nodes).sum();
    return new Setting(
        (timers, clock) ->
            new SlurmCloud(settings, settings.marketPools(), new Slurm(), timers, clock),
        1,
        Setting.steadyScenario(all),
        new InPlace(new int[counts.length], counts),
        null,
        screen);
  }
}
