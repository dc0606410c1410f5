package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.workload.profile.ProgressLog;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a training script for a while and reads what it prints; the script is then ended. */
final class ScriptRun {

  private static final Duration BEAT = Duration.ofMillis(500);
  private static final int GRACE_SECONDS = 5;
  private static final int LONGEST_LINE = 10_000;

  /** The Python client writes steps and their times into the file that this variable names. */
  private static final String STEPS_FILE = "DEEPVM_PROFILE";

  private final ProgressLog log = new ProgressLog();
  private final PeakMemory memory;
  private final long start = System.nanoTime();
  private volatile String lastLine = "";

  ScriptRun(PeakMemory memory) {
    this.memory = memory;
  }

  /** Returns what the script printed in this time, or until it ended by itself. */
  ProgressLog run(List<String> command, Duration time) throws IOException, InterruptedException {
    Path steps = Files.createTempFile("deepvm-steps", ".txt");
    double startedAt = System.currentTimeMillis() / 1e3;
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PYTHONUNBUFFERED", "1");
    builder.environment().put(STEPS_FILE, steps.toString());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      Files.delete(steps);
      throw new BadInput(
          "The command '%s' cannot be started: %s.".formatted(command.get(0), e.getMessage()),
          "Maybe give its path, after --.");
    }
    Thread hook = new Thread(() -> kill(process), "script end");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      Thread out = reader(process.getInputStream());
      Thread err = reader(process.getErrorStream());
      boolean ended = watch(process, time);
      if (!ended) {
        end(process);
      }
      out.join(TimeUnit.SECONDS.toMillis(GRACE_SECONDS));
      err.join(TimeUnit.SECONDS.toMillis(GRACE_SECONDS));
      if (ended && process.exitValue() != 0) {
        throw new BadInput(
            "The command ended with code %d: %s".formatted(process.exitValue(), lastLine),
            "Maybe run it without 'deepvm profile --' first.");
      }
      for (String line : Files.readAllLines(steps)) {
        readStep(line, startedAt);
      }
      return log;
    } finally {
      kill(process);
      Runtime.getRuntime().removeShutdownHook(hook);
      Files.deleteIfExists(steps);
    }
  }

  /** Takes a line of the Python client: the step and the seconds since 1970. */
  private void readStep(String line, double startedAt) {
    String[] words = line.split(" ", -1);
    if (words.length == 2 && words[0].matches("\\d{1,15}") && words[1].matches("\\d+\\.\\d+")) {
      log.add(Double.parseDouble(words[1]) - startedAt, "deepcheck step " + words[0]);
    }
  }

  /** Returns whether the script ended by itself within the time. */
  private boolean watch(Process process, Duration time) throws InterruptedException {
    long until = start + time.toNanos();
    while (System.nanoTime() < until) {
      memory.sample(process.toHandle());
      long left = Math.min(BEAT.toNanos(), Math.max(1, until - System.nanoTime()));
      if (process.waitFor(left, TimeUnit.NANOSECONDS)) {
        return true;
      }
    }
    return false;
  }

  private static void end(Process process) throws InterruptedException {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    children.forEach(ProcessHandle::destroy);
    if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
      kill(process);
    }
    children.forEach(ProcessHandle::destroyForcibly);
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private Thread reader(InputStream stream) {
    Thread thread = DaemonThreads.start("script output", () -> read(stream));
    return thread;
  }

  /** Reads lines that end in a line feed or, as those of progress bars, in a carriage return. */
  private void read(InputStream stream) {
    try (Reader reader =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      StringBuilder line = new StringBuilder();
      for (int c = reader.read(); c >= 0; c = reader.read()) {
        if (c == '\n' || c == '\r') {
          take(line);
        } else if (line.length() < LONGEST_LINE) {
          line.append((char) c);
        }
      }
      take(line);
    } catch (IOException e) {
      // the process has ended
    }
  }

  private void take(StringBuilder line) {
    String text = line.toString().replaceAll("\u001b\\[[0-9;?]*[A-Za-z]", "");
    line.setLength(0);
    if (!text.isBlank()) {
      lastLine = text;
      log.add((System.nanoTime() - start) / 1e9, text);
    }
  }
}
