package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.cluster.agent.Work;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshSettings;
import io.deepvm.trainer.TrainerProcess;
import io.deepvm.trainer.job.TrainingJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What 'run --on' was asked for, as work for nodes elsewhere. Paths on a host are relative to the
 * folder of its node, RUNS/RUN/nodes/NODE.
 */
record RunOnHosts(Asked asked, HostsOptions options, Path folder) {

  private static final String WORK = "../../work";
  private static final String JOB = "job.yaml";

  /**
   * What the user asked for.
   *
   * @param command empty for the built-in trainer
   * @param processesPerNode null for one a GPU
   */
  record Asked(
      List<String> command,
      @Nullable Path job,
      @Nullable String processesPerNode,
      int maxRestarts,
      String noticeSignal,
      double silenceSeconds) {}

  private boolean ofCommand() {
    return !asked.command().isEmpty();
  }

  /** Returns the hosts, and refuses what the built-in trainer cannot do. */
  List<SshHost> hosts() {
    String on = options.on;
    if (on == null) {
      throw new IllegalStateException("The run is not on hosts.");
    }
    List<SshHost> hosts =
        HostsFile.ofPlace(on).stream().filter(host -> !host.type().equals(SshHost.ANCHOR)).toList();
    if (hosts.isEmpty()) {
      throw new BadInput(
          "No host of %s trains: all have the type %s.".formatted(on, SshHost.ANCHOR),
          "Maybe give the others another type.");
    }
    if (!ofCommand() && asked.job() == null) {
      throw new BadInput(
          "A run on hosts needs a command or a job to train.",
          "Maybe add -- python3 train.py, or --training-job FILE.");
    }
    if (ofCommand() && asked.job() != null) {
      throw new BadInput(
          "--training-job is for the built-in trainer, and there is a command.",
          "Maybe leave one of them out.");
    }
    if (servers() >= hosts.size()) {
      throw new BadInput(
          "The job needs a host for its parameters and one to compute, and there is one host.",
          "Maybe set strategy: averaging in the job, or add a host.");
    }
    return hosts;
  }

  /** Returns how many nodes keep parameters. */
  int servers() {
    Path job = asked.job();
    boolean served =
        job != null && TrainingJob.read(job).strategy() == TrainingJob.Strategy.PARAMETER_SERVER;
    return served ? 1 : 0;
  }

  /** Writes what is brought to the hosts into the run's folder. */
  SshSettings.Shipment shipment() throws IOException {
    String job = null;
    if (asked.job() != null) {
      Path copy = folder.resolve(JOB).toAbsolutePath();
      AtomicFile.writePrivate(copy, Files.readString(asked.job()));
      job = copy.toString();
    }
    Path workdir = options.workdir == null ? null : Workdir.pack(options.workdir, folder);
    return new SshSettings.Shipment(
        ofCommand() ? SshSettings.Classes.AGENT : SshSettings.Classes.ALL,
        workdir == null ? null : workdir.toAbsolutePath().toString(),
        options.setup,
        job);
  }

  /**
   * Returns what every node does.
   *
   * @param run names the run on the hosts
   */
  Work work(String run, List<SshHost> hosts) {
    boolean shipped = options.workdir != null || !options.setup.isEmpty();
    String checkpoints =
        options.checkpoints == null ? "../../../../checkpoints/" + run : options.checkpoints;
    Map<String, Integer> processes = new TreeMap<>();
    if (ofCommand()) {
      hosts.forEach(host -> processes.put(host.type(), processes(host)));
    }
    return new Work(
        ofCommand()
            ? asked.command()
            : TrainerProcess.shippedCommand(shipped ? "../" + JOB : "../../" + JOB),
        ofCommand() ? Work.Kind.COMMAND : Work.Kind.MEMBER,
        Map.of(),
        checkpoints,
        asked.maxRestarts(),
        asked.noticeSignal(),
        HostsRunner.timeouts(asked.silenceSeconds()),
        shipped ? WORK : "",
        processes);
  }

  private int processes(SshHost host) {
    String text = asked.processesPerNode();
    return ProcessesPerNode.of(
        text == null ? ProcessesPerNode.AUTO : text, host.type(), (double) host.gpus());
  }
}
