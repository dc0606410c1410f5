package io.deepvm.trainer;

import io.deepvm.places.Cloud;
import io.deepvm.places.local.JavaCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the built-in trainer is started as a process of its own. */
public final class TrainerProcess {

  /** Parameters and gradients live outside the heap, where the machine alone shall be the limit. */
  private static final String NO_LIMIT = "-XX:MaxDirectMemorySize=1t";

  private TrainerProcess() {}

  private static final List<String> USUAL = List.of("-Xmx256m", "-XX:+UseSerialGC", NO_LIMIT);

  /** Returns the command that trains a job file under an agent. */
  public static List<String> command(Path job) {
    return command(job, USUAL);
  }

  /**
   * Returns the command on a machine that has this program from its cloud.
   *
   * @param job the path of the job file there
   */
  public static List<String> shippedCommand(String job) {
    List<String> line = new ArrayList<>(List.of(Cloud.SHIPPED_JAVA));
    line.addAll(USUAL);
    line.addAll(List.of(TrainerMain.class.getName(), "--training-job", job));
    return line;
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
