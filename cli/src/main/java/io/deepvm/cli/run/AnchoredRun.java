package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.coordinator.RemoteRun;
import io.deepvm.cli.coordinator.RunHandover;
import io.deepvm.cli.coordinator.RunRescue;
import io.deepvm.cli.coordinator.StoredRun;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.ssh.CoordinatorSeat;
import io.deepvm.places.ssh.RunKey;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshHosts;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * A run whose coordinator works on one of the hosts.
 *
 * @param folder where this machine keeps the way to the coordinator
 * @param more options of the coordinator's command
 */
record AnchoredRun(Terminal terminal, Path folder, List<String> more) {

  /** Prepares the hosts and the run, hands it over, and follows it; returns how it ended. */
  RunStatus start(RunOnHosts.Asked asked, HostsOptions place, CoordinatorOptions coordinator)
      throws IOException, InterruptedException {
    try (RunHandover handover = RunHandover.prepare(folder, LocalRunner.name(folder))) {
      RunOnHosts there = new RunOnHosts(asked, place, handover.folder());
      List<SshHost> training = there.hosts();
      SshHost seat = coordinator.host(HostsFile.ofPlace(String.valueOf(place.on)));
      HostsRunner runner = new HostsRunner(terminal, handover.folder());
      SshSettings settings = runner.settings(training, there.shipment());
      Work work = there.work(settings.run(), training);
      try (SshHosts hosts = SshHosts.of(settings)) {
        runner.prepare(hosts, settings);
        prepare(seat, settings);
        coordinator.keepStore(handover.folder(), handover.name());
        RunFolder.prepare(handover.folder(), runner.spec(work, there.servers()));
        handOver(handover, seat, settings, hosts);
      }
    }
    return remote().follow(0);
  }

  /**
   * Goes on with a run that a store has copies of, on this machine or on a host; returns how it
   * ended.
   *
   * @param screen makes the screen of a run of a command, or of the built-in trainer
   */
  RunStatus restore(
      HostsOptions place, CoordinatorOptions coordinator, Function<Work.Kind, RunScreen> screen)
      throws IOException, InterruptedException {
    List<SshHost> all = HostsFile.ofPlace(String.valueOf(place.on));
    String name = LocalRunner.name(folder);
    StoredRun stored = StoredRun.of(String.valueOf(coordinator.fromStore), name);
    new RunRescue(terminal, folder).requireNone();
    if (coordinator.coordinatorOn == null) {
      SshSettings unused = new RunRescue(terminal, folder).restore(stored, all);
      CoordinatorSeat.delete(folder);
      new Resumption(folder)
          .keep(List.of("run", "--on", String.valueOf(place.on), "--folder", folder.toString()));
      Work.Kind kind = RunFolder.of(folder).spec().work().kind();
      return new HostsRunner(terminal, folder).resume(screen.apply(kind));
    }
    SshHost seat = coordinator.host(all);
    try (RunHandover handover = RunHandover.prepare(folder, name)) {
      SshSettings settings = new RunRescue(terminal, handover.folder()).restore(stored, all);
      CoordinatorSeat.delete(folder);
      try (SshHosts hosts = SshHosts.of(settings)) {
        HostChecks.requirePrepared(
            Progress.during(terminal, "Preparing the hosts", hosts::provision));
        prepare(seat, settings);
        handOver(handover, seat, settings, hosts);
      }
    }
    return remote().follow(0);
  }

  /** Goes on with a run whose coordinator has ended, or follows one; returns how it ended. */
  RunStatus resume() throws IOException, InterruptedException {
    return remote().resume(more);
  }

  private RemoteRun remote() throws IOException {
    RemoteRun remote = RemoteRun.of(folder, terminal);
    if (remote == null) {
      throw new BadInput(
          "No host coordinates the run in %s.".formatted(folder),
          "Maybe leave --coordinator-on out to go on with it from here.");
    }
    return remote;
  }

  /** Brings the program to a host that does not train. */
  private void prepare(SshHost seat, SshSettings settings) throws IOException {
    if (settings.hosts().contains(seat)) {
      return;
    }
    SshSettings.Shipment program =
        new SshSettings.Shipment(settings.shipment().classes(), null, "", null);
    SshSettings alone =
        new SshSettings(
            settings.run(), settings.owner(), List.of(seat), settings.leaseSeconds(), program);
    try (SshHosts host = SshHosts.of(alone)) {
      new HostsRunner(terminal, folder).prepare(host, alone);
      var unused = host.clear();
    }
  }

  /** Starts the coordinator there; if that fails, nothing stays behind. */
  private void handOver(RunHandover handover, SshHost seat, SshSettings settings, SshHosts hosts)
      throws IOException, InterruptedException {
    RunKey key = RunKey.make(handover.folder());
    boolean up = false;
    try {
      HostChecks.requirePrepared(hosts.allow(key.allowed(settings.run())));
      new Resumption(handover.folder())
          .keep(List.of("run", "--on", "ssh:hosts.json", "--folder", handover.name()));
      RemoteRun remote =
          Progress.during(
              terminal, "Handing the run over", () -> handover.send(seat, settings, key, terminal));
      if (isFresh(handover)) {
        // Nodes of this run would make hosts look busy later.
        remote.requireReach();
      }
      remote.start(more);
      up = true;
    } finally {
      if (!up) {
        giveUp(handover, hosts);
      }
    }
    PrivateFiles.folder(folder);
  }

  /** Whether no coordinator has worked on the run yet. */
  private static boolean isFresh(RunHandover handover) throws IOException {
    return Files.size(RunFolder.of(handover.folder()).events()) == 0;
  }

  private void giveUp(RunHandover handover, SshHosts hosts) throws IOException {
    if (isFresh(handover)) {
      var unusedNodes = hosts.clear();
    }
    var unusedKeys = hosts.disallow();
    RemoteRun remote = RemoteRun.of(folder, terminal);
    if (remote != null) {
      remote.forget();
    }
  }
}
