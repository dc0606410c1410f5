package io.deepvm.cli.run;

import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.coordinator.RunCopies;
import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunListener;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.ssh.RunKey;
import io.deepvm.places.ssh.SshCloud;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshHosts;
import io.deepvm.places.ssh.SshSettings;
import io.deepvm.simulator.policy.InPlace;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;

/**
 * Trains on machines that the user has.
 *
 * @param folder where the run's log is
 */
public record HostsRunner(Terminal terminal, Path folder) {

  /** How long a node goes on without a coordinator. */
  public static final double LEASE_SECONDS = 120;

  private static final Duration LONGEST = Duration.ofDays(365);

  /** A coordinator that loses its connection for this long takes the node for lost. */
  private static final double SESSION_SECONDS = 20;

  private static final double READY_SECONDS = 120;
  private static final double STOP_SECONDS = 10;
  private static final double MEET_SECONDS = 60;
  private static final double BOOT_SECONDS = 180;
  private static final double JOIN_SECONDS = 0.5;
  private static final double FIRST_SECONDS = 30;
  private static final double BLAME_SECONDS = 1;

  /** Returns timeouts that suit hosts behind a connection that may break for a while. */
  static Work.Timeouts timeouts(double silenceSeconds) {
    return new Work.Timeouts(
            SESSION_SECONDS, READY_SECONDS, STOP_SECONDS, MEET_SECONDS, LEASE_SECONDS)
        .withSilence(silenceSeconds);
  }

  /** Returns what a new run needs to know of its hosts. */
  SshSettings settings(List<SshHost> hosts, SshSettings.Shipment shipment) {
    String run = "%s-%08x".formatted(LocalRunner.name(folder), new SecureRandom().nextInt());
    return new SshSettings(run, owner(), hosts, LEASE_SECONDS, shipment);
  }

  /** Returns who this is, for people who find a node on a host. */
  public static String owner() {
    String machine;
    try {
      machine = InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      machine = "unknown";
    }
    return (System.getProperty("user.name") + "@" + machine).replaceAll("[^A-Za-z0-9@._-]", "_");
  }

  /**
   * Checks and prepares all hosts, starts a new run and returns how it ended.
   *
   * @param servers how many nodes keep parameters for the others
   * @param screen closed at the end
   */
  RunStatus start(SshSettings settings, Work work, int servers, RunScreen screen)
      throws IOException, InterruptedException {
    SshHosts hosts = SshHosts.of(settings);
    try (screen) {
      prepare(hosts, settings);
      try (RunCopies copies = RunCopies.open(folder, terminal);
          Run run =
              Run.start(
                  folder,
                  spec(work, servers),
                  setting(settings, hosts, servers, copies.with(screen)))) {
        copies.guard(run::leave);
        return run.await(LONGEST);
      }
    } finally {
      hosts.close();
    }
  }

  /** Returns the run that does this work. */
  RunSpec spec(Work work, int servers) {
    return RunSpec.of(LocalRunner.name(folder), work)
        .withServers(servers, 0)
        .withPatience(BOOT_SECONDS, JOIN_SECONDS, FIRST_SECONDS, BLAME_SECONDS);
  }

  /** Checks all hosts, and brings what nodes need; refuses hosts of which one cannot train. */
  void prepare(SshHosts hosts, SshSettings settings) {
    HostChecks.require(
        Progress.during(terminal, "Checking the hosts", hosts::facts), terminal.clock());
    var prepared = Progress.during(terminal, "Preparing the hosts", hosts::provision);
    if (prepared.stream().anyMatch(answer -> answer.problem() != null)) {
      // Nothing has started yet, so nothing of the run stays there.
      var unused = hosts.clear();
    }
    HostChecks.requirePrepared(prepared);
    terminal.err().println("%d hosts are ready.".formatted(settings.hosts().size()));
  }

  /** Goes on with a run that was interrupted or whose coordinator died; returns how it ended. */
  RunStatus resume(RunScreen screen) throws IOException, InterruptedException {
    SshSettings settings = SshSettings.read(folder);
    RunFolder there = RunFolder.of(folder);
    int servers = there.spec().servers();
    SshHosts hosts = SshHosts.of(settings);
    try (screen) {
      EventLog.read(there.events()).forEach(screen::remember);
      RunStatus status;
      try (RunCopies copies = RunCopies.open(folder, terminal);
          Run run = Run.resume(folder, setting(settings, hosts, servers, copies.with(screen)))) {
        copies.guard(run::leave);
        status = run.await(LONGEST);
      }
      if (status.state().isEnd()) {
        takeKeyBack();
      }
      return status;
    } finally {
      hosts.close();
    }
  }

  /** Ends the key of a run that is over, if it has one. */
  void takeKeyBack() throws IOException {
    // A process that asks for the run's status holds the folder for a moment, too.
    for (int tries = 0; tries < 50 && RunKey.exists(folder); tries++) {
      try (RunFolder.Hold hold = RunFolder.of(folder).hold()) {
        if (hold != null) {
          RunKey.end(folder).forEach(this::tellOfKey);
          return;
        }
      }
      pause();
    }
  }

  private void tellOfKey(String host) {
    terminal
        .err()
        .println(
            "%s was not reached, so it still lists the run's key. That key is deleted here."
                .formatted(host));
  }

  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Setting setting(
      SshSettings settings, SshHosts hosts, int servers, RunListener listener) {
    int[] counts =
        settings.pools().stream()
            .mapToInt(
                pool ->
                    (int)
                        settings.hosts().stream()
                            .filter(host -> host.type().equals(pool.instanceType()))
                            .count())
            .toArray();
    // Servers come from the first type, beside the workers that the policy keeps.
    counts[0] -= servers;
    return new Setting(
        (timers, clock) -> new SshCloud(hosts, settings.pools(), timers, clock),
        1,
        Setting.steadyScenario(settings.hosts().size() - servers),
        new InPlace(new int[counts.length], counts),
        null,
        listener);
  }
}
