package io.deepvm.trainer;

import io.deepvm.cluster.local.JavaCommand;
import java.nio.file.Path;
import java.util.List;

/** How the built-in trainer is started as a process of its own. */
public final class TrainerProcess {

  /** Parameters and gradients live outside the heap, where the machine alone shall be the limit. */
  private static final String NO_LIMIT = "-XX:MaxDirectMemorySize=1t";

  private TrainerProcess() {}

  /** Returns the command that trains a job file under an agent. */
  public static List<String> command(Path job) {
    return JavaCommand.of(
        List.of("-Xmx256m", "-XX:+UseSerialGC", NO_LIMIT),
        TrainerMain.class,
        "--job",
        job.toAbsolutePath().toString());
  }
}
