package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import java.io.IOException;
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

/** Goes the ways of a first day that lead from one command to the next. */
@Timeout(600)
class StoryIT {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int deepvm(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    Terminal terminal =
        new Terminal(
            new PrintWriter(out), new PrintWriter(err), false, false, true, Clock.systemUTC());
    return Main.run(terminal, words);
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void theDemoPlansSimulatesTrainsThroughLossesAndCompares() throws Exception {
    int code = deepvm("demo", "--folder", file("demo"));
    assertThat(code).as("%s%n%s", out, err).isZero();
    assertThat(out.toString())
        .containsSubsequence(
            "1. Plan", "4 x ", "2. Simulate", "3. Profile", "4. Train", "5. Compare");
    RunStatus status = Runs.status(folder.resolve("demo/run"), Clock.systemUTC());
    assertThat(status.state()).isEqualTo(RunPhase.FINISHED);
    assertThat(err.toString())
        .contains("lost: taken by the market after a notice", "lost: taken by the script");
    assertThat(Files.readString(folder.resolve("demo/report.html")))
        .contains("<svg", "simulated before", "measured");
    assertThat(deepvm("demo", "--folder", file("demo"))).isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("already", "Maybe");
  }

  @Test
  void whatProfileMeasuresOfAveragingCanBePlanned() throws Exception {
    profile("averaging");
    plan("--architecture", "averaging", "--max-price-per-hour", "5");
  }

  @Test
  void whatProfileMeasuresOfParameterServersCanBePlanned() throws Exception {
    profile("parameter-server");
    List<String> losses = Files.readAllLines(folder.resolve("losses.csv"));
    int half = losses.size() / 2;
    double first = meanLoss(losses.subList(1, half));
    double last = meanLoss(losses.subList(half, losses.size()));
    String reached = Double.toString((first + last) / 2);
    plan("--architecture", "parameter-server", "--target-loss", reached, "--deadline", "30d");
  }

  private static double meanLoss(List<String> rows) {
    return rows.stream()
        .mapToDouble(row -> Double.parseDouble(row.substring(row.lastIndexOf(',') + 1)))
        .average()
        .orElseThrow();
  }

  private void plan(String... goal) {
    List<String> words = new ArrayList<>(List.of("plan", "--job", file("job.yaml")));
    words.addAll(List.of(goal));
    assertThat(deepvm(words.toArray(new String[0]))).as(err.toString()).isZero();
    assertThat(out.toString()).contains("spot");
  }

  private void profile(String strategy) throws IOException {
    Files.writeString(
        folder.resolve("training.yaml"),
        """
        name: small
        strategy: %s
        model: {kind: mlp, hidden: [32]}
        data: {kind: generated-images, samples: 2000, noise: 2}
        batch: {micro: 8, target: 8}
        work: {steps: 100000}
        optimizer: {kind: sgd, rate: 0.001}
        checkpoint: {folder: saved, every: auto}
        """
            .formatted(strategy));
    int code =
        deepvm(
            "profile",
            "--training-job",
            file("training.yaml"),
            "--time",
            "1s",
            "--write-job",
            file("job.yaml"),
            "--write-losses",
            file("losses.csv"));
    assertThat(code).as(err.toString()).isZero();
    assertThat(out.toString()).contains("compute, one micro-batch of 8", "first loss");
  }
}
