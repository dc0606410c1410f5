package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans as the planner writes them, handed over. */
class ExportCommandTest {

  @TempDir private static Path folder;
  private static Path plan;

  @BeforeAll
  static void planOnce() throws IOException {
    Screen screen =
        Screen.run("plan", "--max-price-per-hour", "3", "--place", "aws", "--output", "json");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    plan = Files.writeString(folder.resolve("plan.json"), screen.out());
  }

  @ParameterizedTest
  @CsvSource({
    "skypilot, num_nodes:",
    "terraform, aws_instance",
    "jobset, replicatedJobs:",
    "sbatch, srun"
  })
  void aPlanGoesToEachTool(String tool, String has) {
    Screen screen =
        Screen.run(
            "export",
            "--plan",
            plan.toString(),
            "--to",
            tool,
            "--image",
            "image",
            "--",
            "python3",
            "train.py");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out()).contains(has).contains("Lost in translation:").contains("python3");
  }

  @Test
  void aFileIsWrittenAndNotOverwritten() throws IOException {
    Path file = folder.resolve("task.yaml");
    String[] words = {
      "export", "--plan", plan.toString(), "--to", "skypilot", "--out", file.toString(), "--", "a"
    };
    assertThat(Screen.run(words).exitCode()).isEqualTo(Exit.DONE);
    assertThat(file).content().contains("num_nodes");
    Screen again = Screen.run(words);
    assertThat(again.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(again.err()).contains("exists already", "--force");
  }

  @Test
  void anExportNeedsACommandAndAToolThatExists() {
    Screen none = Screen.run("export", "--plan", plan.toString(), "--to", "sbatch");
    assertThat(none.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(none.err()).contains("needs the command");
    Screen wrong = Screen.run("export", "--plan", plan.toString(), "--to", "skypilt", "--", "a");
    assertThat(wrong.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(wrong.err()).contains("skypilot");
  }
}
