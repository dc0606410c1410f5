package io.deepvm.places.slurm;

import io.deepvm.base.DaemonThreads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The commands of Slurm. Every method blocks. */
public final class Slurm {

  private static final long PATIENCE_SECONDS = 60;
  private static final int COLUMNS = 5;

  /** What sbatch prints when nobody knows whether the job was submitted. */
  private static final List<String> UNCERTAIN =
      List.of("unable to contact slurm controller", "timed out", "temporarily", "zero bytes were");

  private final Map<String, String> environment;

  /** The cluster of this computer. */
  public Slurm() {
    this(Map.of());
  }

  /** The cluster that more variables name, such as SLURM_CONF. */
  public Slurm(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** Slurm refused a job; none was submitted. */
  static final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message);
    }
  }

  /**
   * What a command printed.
   *
   * @param said the last line of its errors
   */
  private record Outcome(int code, String out, String said) {}

  /**
   * Submits a script and returns the id of the job.
   *
   * @throws Refused if there certainly is no job
   * @throws IOException if nobody knows
   */
  String submit(List<String> options, String script) throws IOException {
    List<String> line = new ArrayList<>(List.of("sbatch", "--parsable"));
    line.addAll(options);
    Outcome outcome = run(line, script);
    if (outcome.code() == 0) {
      String id = outcome.out().strip();
      // A federation adds the name of the cluster.
      return id.contains(";") ? id.substring(0, id.indexOf(';')) : id;
    }
    String lower = outcome.said().toLowerCase(Locale.ROOT);
    if (UNCERTAIN.stream().anyMatch(lower::contains)) {
      throw new IOException(outcome.said());
    }
    throw new Refused(outcome.said());
  }

  /** Returns the jobs of this user that have not ended. */
  public List<SlurmJob> jobs() throws IOException {
    String all = good(run(List.of("squeue", "--me", "--noheader", "--format=%i|%j|%T|%N|%r"), ""));
    List<SlurmJob> jobs = new ArrayList<>();
    for (String row : all.lines().toList()) {
      // Names may have the separator; the columns around them may not.
      String[] words = row.strip().split("\\|", -1);
      if (words.length == COLUMNS) {
        jobs.add(new SlurmJob(words[0], words[1], words[2], words[3], words[4]));
      }
    }
    return jobs;
  }

  /** Returns the state of a job that may have ended, like PREEMPTED; empty if it is forgotten. */
  String state(String job) throws IOException {
    Outcome outcome = run(List.of("scontrol", "--oneliner", "show", "job", job), "");
    for (String word : outcome.out().split("\\s+", -1)) {
      if (word.startsWith("JobState=")) {
        return word.substring("JobState=".length());
      }
    }
    return "";
  }

  /** Ends all jobs of this user that have the name, at once and without a notice. */
  public void cancel(String name) throws IOException {
    String user = "--user=" + System.getProperty("user.name");
    String unused =
        good(run(List.of("scancel", user, "--full", "--signal=KILL", "--name=" + name), ""));
  }

  /** Returns the address of some node of the cluster. */
  String someNode() throws IOException {
    List<String> all =
        good(run(List.of("sinfo", "--noheader", "--format=%o"), "")).lines().toList();
    if (all.isEmpty()) {
      throw new IOException("the cluster has no node");
    }
    return all.get(0).strip();
  }

  /**
   * Returns a line for each partition: its name with a star if it is the default, whether it is up,
   * its time limit and the number of its nodes.
   */
  public List<String> partitions() throws IOException {
    return good(run(List.of("sinfo", "--noheader", "--summarize", "--format=%P|%a|%l|%D"), ""))
        .lines()
        .toList();
  }

  private static String good(Outcome outcome) throws IOException {
    if (outcome.code() != 0) {
      throw new IOException(outcome.said());
    }
    return outcome.out();
  }

  private Outcome run(List<String> line, String input) throws IOException {
    Process process;
    try {
      ProcessBuilder builder = new ProcessBuilder(line);
      builder.environment().putAll(environment);
      process = builder.start();
    } catch (IOException e) {
      throw new Refused("%s cannot be started here".formatted(line.get(0)));
    }
    StringBuilder errors = new StringBuilder();
    Thread reader =
        DaemonThreads.start(
            "slurm-errors",
            () -> {
              try {
                errors.append(
                    new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
              } catch (IOException e) {
                // The command has ended.
              }
            });
    try {
      process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
    } catch (IOException e) {
      // It ended early, and says why.
    }
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("%s timed out".formatted(line.get(0)));
      }
      reader.join(TimeUnit.SECONDS.toMillis(2));
      return new Outcome(process.exitValue(), out, last(errors.toString(), line.get(0)));
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  private static String last(String errors, String command) {
    List<String> lines = errors.lines().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty() ? command + " failed without a word" : lines.get(lines.size() - 1);
  }
}
