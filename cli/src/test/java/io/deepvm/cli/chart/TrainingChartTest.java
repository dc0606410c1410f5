package io.deepvm.cli.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingChartTest {

  @TempDir Path folder;

  @Test
  void aPageHoldsTheChartAndSaysWhatItShows() throws IOException {
    Path file = folder.resolve("run.html");
    new Page("A <real> run")
        .section("Training")
        .chart(chart())
        .facts(List.of(new Chart.Fact("cost", "$1")))
        .table(List.of("", "predicted", "measured"), List.of(List.of("cost", "$1", "$1.02")))
        .write(file);
    assertThat(Files.readString(file))
        .contains("<title>A &lt;real&gt; run</title>", "<h2>Training</h2>", "<svg")
        .contains("checkpoint stall", "Members", "Loss", "<td class=\"number\">$1.02</td>")
        .doesNotContain("<real>");
  }

  @Test
  void aRunWithoutStepsShowsItsMembersAlone() throws IOException {
    Path file = folder.resolve("a.svg");
    new TrainingChart(
            List.of(), List.of(new TrainingChart.Members(1, 4)), List.of(30.0), 100, "A command")
        .write(file);
    assertThat(Files.readString(file))
        .contains(">Members<")
        .doesNotContain(">Loss<", "checkpoint stall", "A step (ms)");
  }

  @Test
  void theSameRunGivesTheSameBytes() throws IOException {
    Path first = folder.resolve("a.svg");
    Path second = folder.resolve("b.svg");
    chart().write(first);
    chart().write(second);
    assertThat(second).hasSameTextualContentAs(first);
  }

  private static TrainingChart chart() {
    List<TrainingChart.Step> steps = new ArrayList<>();
    for (int i = 1; i < 100; i++) {
      steps.add(
          new TrainingChart.Step(
              i, 2.3 / Math.sqrt(i), 0.2, 0.05, i % 30 == 0 ? 0.4 : 0.02, i % 10 == 0 ? 0.01 : 0));
    }
    return new TrainingChart(
        steps,
        List.of(
            new TrainingChart.Members(1, 4),
            new TrainingChart.Members(31, 3),
            new TrainingChart.Members(45, 4)),
        List.of(30.0),
        100,
        "Training");
  }
}
