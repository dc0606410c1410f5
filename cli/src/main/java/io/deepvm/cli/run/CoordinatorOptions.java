package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.cli.coordinator.StoredRun;
import io.deepvm.places.ssh.CoordinatorSeat;
import io.deepvm.places.ssh.SshHost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the coordinator of a run works. */
final class CoordinatorOptions {

  /** The host of this type, whatever it is called. */
  private static final String ANCHOR = "anchor";

  @Option(
      names = "--coordinator-on",
      paramLabel = "anchor|HOST",
      description = {
        "Let a host of the file coordinate the run, so that this computer may sleep:",
        "anchor: the host of the type anchor, which does not train. With --on ssh."
      })
  @Nullable String coordinatorOn;

  @Option(
      names = "--store",
      paramLabel = "DIR|s3://BUCKET/PREFIX",
      description =
          "Keep copies of the run's log there, so that another machine can go on with the run if"
              + " its coordinator is lost. With --on ssh.")
  @Nullable String store;

  @Option(
      names = "--from-store",
      paramLabel = "DIR|s3://BUCKET/PREFIX",
      description =
          "With --resume: go on with the run of the folder's name that this store has copies of.")
  @Nullable String fromStore;

  /** Refuses options that do not go with the others. */
  void check(@Nullable String place, boolean resume) {
    String given =
        coordinatorOn != null
            ? "--coordinator-on"
            : store != null ? "--store" : fromStore != null ? "--from-store" : null;
    if (given != null && (place == null || !place.startsWith("ssh:"))) {
      throw new BadInput(
          "%s is for hosts that ssh reaches, and the run is on %s."
              .formatted(given, place == null ? "this machine" : place.split(":", -1)[0]),
          "Maybe leave it out, or add --on ssh:hosts.yaml.");
    }
    if (fromStore != null && !resume) {
      throw new BadInput(
          "--from-store goes on with a run, and --resume is missing.", "Maybe add --resume.");
    }
    if (fromStore != null && store != null) {
      throw new BadInput(
          "--from-store also keeps further copies there.", "Maybe leave --store out.");
    }
  }

  /** Lets the run of the folder keep copies of its log. */
  void keepStore(Path folder, String name) throws IOException {
    if (store != null) {
      StoredRun.of(store, name).write(folder);
    }
  }

  /** Whether the run of the folder is to be coordinated elsewhere, or is so already. */
  boolean concerns(Path folder) {
    return coordinatorOn != null || CoordinatorSeat.exists(folder);
  }

  /** Returns the host that carries the coordinator. */
  SshHost host(List<SshHost> hosts) {
    String wanted = String.valueOf(coordinatorOn);
    boolean anchor = wanted.equals(ANCHOR);
    return hosts.stream()
        .filter(host -> anchor ? host.type().equals(SshHost.ANCHOR) : host.name().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                anchor
                    ? new BadInput(
                        "No host of the file has the type anchor.",
                        "Maybe write type: anchor for one that does not train, or name a host:"
                            + " --coordinator-on %s".formatted(hosts.get(0).name()))
                    : new BadInput(
                        "The hosts file has no host '%s'.".formatted(wanted),
                        Suggestion.maybe(
                            wanted,
                            hosts.stream().map(SshHost::name).toList(),
                            "Maybe write its name: as in the file.")));
  }
}
