package io.deepvm.checkpoint.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs scripts with the system's Python, which has what Debian's packages bring, and deepcheck. */
final class Python {

  private static final Path ROOT = Path.of(System.getProperty("deepvm.root", ".."));
  private static final Path SYSTEM = Path.of("/usr/bin/python3");

  private Python() {}

  /** Starts a script for an agent; its errors go where ours go. */
  static Process start(Path socket, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Files.isExecutable(SYSTEM) ? SYSTEM.toString() : "python3");
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("DEEPVM_AGENT", socket.toString());
    builder.environment().put("PYTHONPATH", ROOT.resolve("clients/python").toString());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    return builder.start();
  }

  /** Returns the path of a script of the repository. */
  static String script(String path) {
    return ROOT.resolve(path).toString();
  }

  /** Runs a script to its end, which must be a good one, and returns what it printed. */
  static List<String> run(Path socket, List<String> arguments)
      throws IOException, InterruptedException {
    Process process = start(socket, arguments);
    try (BufferedReader lines = process.inputReader()) {
      List<String> said = lines.lines().toList();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as("%s", said).isZero();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Skips the test where there is no Python. */
  static void assumePython() throws InterruptedException {
    assumeTrue(runs("pass"), "There is no Python here; maybe 'apt install python3'.");
  }

  /** Skips the test where there is no torch. */
  static void assumeTorch() throws InterruptedException {
    assumeTrue(
        runs("import torch"),
        "Python has no torch here; maybe 'apt install python3-torch', as ./test does for root.");
  }

  private static boolean runs(String code) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(Files.isExecutable(SYSTEM) ? SYSTEM.toString() : "python3", "-c", code)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
