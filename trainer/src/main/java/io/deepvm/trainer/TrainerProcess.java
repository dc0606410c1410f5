package io.deepvm.trainer;

import io.deepvm.places.local.JavaCommand;
import java.nio.file.Path;
import java.util.List;

/** How the built-in trainer is started as a process of its own. */
public final class TrainerProcess {

  /** Parameters and gradients live outside the heap, where the machine alone shall be the limit. */
  private static final String NO_LIMIT = "-XX:MaxDirectMemorySize=1t";

  private TrainerProcess() {}

  /** Returns the command that trains a job file under an agent. */
  public static List<String> command(Path job) {
    return command(job, List.of("-Xmx256m", "-XX:+UseSerialGC", NO_LIMIT));
  }

  /**
   * Returns the command for one of several processes that share a machine and come and go. Java's
   * second compiler would take the cores from all of them for half a minute; the first one begins
   * early, or what is done a few times a second stays slow for as long.
   */
  public static List<String> briefCommand(Path job) {
    return command(
        job,
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=0.1",
            NO_LIMIT));
  }

  private static List<String> command(Path job, List<String> options) {
    return JavaCommand.of(
        options, TrainerMain.class, "--training-job", job.toAbsolutePath().toString());
  }
}
