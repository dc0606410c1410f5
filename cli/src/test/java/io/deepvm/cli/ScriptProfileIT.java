package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Measures real processes that print what training tools print. */
@Timeout(300)
class ScriptProfileIT {

  private static final String LOOP =
      """
      import sys, time
      for i in range(1, 31):
          time.sleep(0.02)
          %s
      """;

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int deepvm(List<String> words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    Terminal terminal =
        new Terminal(
            new PrintWriter(out), new PrintWriter(err), false, false, true, Clock.systemUTC());
    return Main.run(terminal, words.toArray(String[]::new));
  }

  private int profile(String script, String... options) throws Exception {
    Path file = folder.resolve("train.py");
    Files.writeString(file, script);
    List<String> words = new ArrayList<>(List.of("profile"));
    words.addAll(List.of(options));
    words.addAll(List.of("--", "python3", file.toString()));
    return deepvm(words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "progress lines; print('{\"report\":\"step\",\"generation\":1,\"step\":%d,\"samples\":%d}' %"
            + " (i, 8 * i))",
        "nanoGPT; print(f'iter {i}: loss 3.1234, time 20.42ms, mfu 5.21%%')",
        "tqdm; sys.stderr.write(f'\\r{i:3d}%%|###   | {i}/30 [00:01<00:07, 49.1it/s, loss=2.3]')",
        "Lightning's rich bar; print(f'Epoch 0/9 ━━━ {i}/30 0:00:01 • 0:00:02 49.1it/s')",
      })
  void aScriptOfEachKindIsMeasuredAndCanBePlanned(String format, String line) throws Exception {
    Path job = folder.resolve("job.yaml");
    int code =
        profile(
            LOOP.formatted(line.replace("%%", "%")),
            "--batch",
            "8",
            "--machine",
            "T4",
            "--write-job",
            job.toString(),
            "--output",
            "json");
    assertThat(code).as("%s%n%s", out, err).isZero();
    JsonNode measured = new ObjectMapper().readTree(out.toString()).path("measured");
    assertThat(measured.path(0).path("what").asText()).isEqualTo("speed, from " + format);
    double speed = measured.path(0).path("value").asDouble();
    assertThat(speed).isPositive();
    assertThat(out.toString()).contains("peak main memory (no CUDA here)");
    Job read = JobFile.read(job);
    assertThat(read.name()).isEqualTo("train");
    assertThat(read.profiles().speeds().samplesPerSecond().get("T4"))
        .isBetween(0.999 * speed, 1.001 * speed);
    assertThat(deepvm(List.of("plan", "--max-price-per-hour", "2", "--job", job.toString())))
        .as("%s", err)
        .isZero();
    assertThat(out.toString()).contains("samples/s");
  }

  @Test
  void theTrainerOfHuggingFaceNeedsNoBatch() throws Exception {
    String head = "  Num examples = 1,000\\n  Num Epochs = 3";
    int code =
        profile(
            "print('%s')\n".formatted(head)
                + LOOP.formatted(
                    "print({'loss': 0.7, 'learning_rate': 4.9e-05, 'epoch': round(i / 100, 2)})"));
    assertThat(code).as("%s%n%s", out, err).isZero();
    assertThat(out.toString()).contains("speed, from Hugging Face Trainer");
  }

  @Test
  void aScriptThatDoesNotEndIsEndedWithAllItStarted() throws Exception {
    Path pid = folder.resolve("pid");
    int code =
        profile(
            """
            import subprocess, time
            child = subprocess.Popen(["sleep", "600"])
            open(%s, "w").write(str(child.pid))
            i = 0
            while True:
                i += 1
                time.sleep(0.02)
                print(f"iter {i}: loss 3.1, time 20.42ms, mfu 5.21%%")
            """
                .formatted('"' + pid.toString() + '"')
                .replace("%%", "%"),
            "--seconds",
            "3",
            "--batch",
            "4");
    assertThat(code).as("%s%n%s", out, err).isZero();
    long child = Long.parseLong(Files.readString(pid));
    ProcessHandle.of(child).ifPresent(process -> process.onExit().join());
  }

  @Test
  void whatCannotBeMeasuredSaysWhy() throws Exception {
    assertThat(profile("print('hello')", "--seconds", "5")).isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("None of the 1 lines", "progress line");
    assertThat(profile("raise ValueError('no data')")).isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("ended with code 1", "no data");
    assertThat(profile(LOOP.formatted("print(f'iter {i}: loss 3.1, time 20.4ms')")))
        .isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("steps/s, not samples", "--batch");
    assertThat(deepvm(List.of("profile", "--", "no-such-command"))).isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("no-such-command", "cannot be started");
  }

  @Test
  void stepsThatThePythonClientSeesAreCounted() throws Exception {
    String client = Path.of("..", "clients", "python").toAbsolutePath().normalize().toString();
    int code =
        profile(
            "import sys; sys.path.insert(0, '%s'); import deepcheck%n".formatted(client)
                + LOOP.formatted("deepcheck._note_step(i)"),
            "--batch",
            "16");
    assertThat(code).as("%s%n%s", out, err).isZero();
    assertThat(out.toString()).contains("speed, from the Python client");
  }
}
