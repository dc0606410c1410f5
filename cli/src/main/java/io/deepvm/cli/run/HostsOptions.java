package io.deepvm.cli.run;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a run on machines that the user has. */
final class HostsOptions {

  @Option(
      names = "--on",
      paramLabel = "ssh:FILE|slurm[:FILE]|aws",
      description = {
        "Train elsewhere than on this machine:",
        "ssh:FILE: on the hosts of this file, one node each;",
        "slurm: on all nodes of the cluster's default partition, or those that the file names;",
        "aws: on machines that are rented for the plan."
      })
  @Nullable String on;

  @Option(
      names = "--workdir",
      paramLabel = "DIR",
      description =
          "A folder that each host gets a copy of, without what git ignores; a command starts in"
              + " it. With --on.")
  @Nullable Path workdir;

  @Option(
      names = "--setup",
      paramLabel = "COMMAND",
      description = "Run once on each host before training, in the copy of --workdir. With --on.")
  String setup = "";

  @Option(
      names = "--checkpoints",
      paramLabel = "DIR",
      description =
          "A folder that all hosts share, for checkpoints (default: one on each host). With --on.")
  @Nullable String checkpoints;

  /** Returns an option that was given without --on; null if there is none. */
  @Nullable String withoutHosts() {
    if (on != null) {
      return null;
    }
    return workdir != null
        ? "--workdir"
        : !setup.isEmpty() ? "--setup" : checkpoints != null ? "--checkpoints" : null;
  }
}
