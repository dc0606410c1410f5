package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs predict and plan on well-known models, and models. */
class SpeedCommandsTest {

  @TempDir Path folder;

  private static JsonNode json(Screen screen) throws IOException {
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    return new ObjectMapper().readTree(screen.out());
  }

  @ParameterizedTest
  @CsvSource({
    "resnet50, T4, fp32, 32, measured",
    "ResNet-50, H200, fp16, 64, relative",
    "llama-2-7b, H100, bf16, 1, relative"
  })
  void oneMachineIsAnsweredWithAnIntervalABasisAndRows(
      String model, String gpu, String precision, String batch, String basis) throws IOException {
    JsonNode json =
        json(
            Screen.run(
                "predict",
                "--model",
                model,
                "--gpu",
                gpu,
                "--precision",
                precision,
                "--batch",
                batch,
                "--output",
                "json"));
    double speed = json.get("samplesPerSecond").asDouble();
    assertThat(json.get("basis").asText()).isEqualTo(basis);
    assertThat(json.get("low").asDouble()).isPositive().isLessThan(speed);
    assertThat(json.get("high").asDouble()).isGreaterThan(speed);
    assertThat(json.get("rows")).isNotEmpty();
    assertThat(json.at("/rows/0/source").asText()).isNotEmpty();
  }

  @Test
  void ownMeasurementsOfAModelNobodyKnowsAreScaled() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("mine.csv"), "model,gpu,batch,samples_per_s\nmynet,T4,32,100\n");
    JsonNode json =
        json(
            Screen.run(
                "predict",
                "--model",
                "mynet",
                "--gpu",
                "A10G",
                "--batch",
                "32",
                "--measurements",
                file.toString(),
                "--output",
                "json"));
    assertThat(json.get("samplesPerSecond").asDouble()).isBetween(140.0, 240.0);
    assertThat(json.at("/rows/0/source").asText()).isEqualTo("mine");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          predict --model resnet50|--gpu A100
          predict --model resnet50 --gpu A1000|There is no GPU 'A1000'
          predict --model resnet51 --gpu T4|resnet5
          predict --gpu T4 --batch 3|without --model
          predict|--model resnet50 --gpu A100
          predict --model resnet50 --gpu T4 --source profit|profet
          models show bert-larg|bert-large
          plan --model resnet50 --epochs 0 --max-price-per-hour 3|above 0
          plan --epochs 3 --max-price-per-hour 3|belongs to --model
          """)
  void aWrongQuestionIsRefusedWithAWayOut(String line, String hint) {
    Screen screen = Screen.run(line.split(" ", -1));
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains(hint);
  }

  @Test
  void aPresetIsPrintedAsAJobFileThatPlansAlike() throws IOException {
    Screen shown = Screen.run("models", "show", "resnet50");
    Path file = Files.writeString(folder.resolve("resnet50.yaml"), shown.out());
    String[] common = {"--max-price-per-hour", "3", "--place", "aws/us-east-1", "--output", "csv"};
    Screen byFile = plan(common, "--job", file.toString());
    Screen byName = plan(common, "--model", "resnet50", "--epochs", "90");
    assertThat(byFile.exitCode()).as(byFile.err()).isEqualTo(Exit.DONE);
    assertThat(byName.out()).isEqualTo(byFile.out());
  }

  private static Screen plan(String[] common, String... more) {
    String[] all = new String[1 + common.length + more.length];
    all[0] = "plan";
    System.arraycopy(common, 0, all, 1, common.length);
    System.arraycopy(more, 0, all, 1 + common.length, more.length);
    return Screen.run(all);
  }

  @Test
  void thePlanSaysWhatItsSpeedStandsOn() {
    Screen screen =
        Screen.run(
            "plan", "--model", "resnet50", "--max-price-per-hour", "3", "--place", "aws/us-east-1");
    assertThat(screen.out())
        .contains("samples/s (")
        .containsAnyOf("relative, from", "measured, from");
  }

  @Test
  void modelsAreListedWithTheGpusTheyWereMeasuredOn() throws IOException {
    JsonNode models = json(Screen.run("models", "list", "--output", "json")).get("models");
    assertThat(models).hasSizeGreaterThan(40);
    assertThat(Screen.run("models", "list").out()).contains("resnet50", "mixtral-8x7b");
    assertThat(Screen.run("models", "show", "resnet50", "--output", "csv").out())
        .startsWith(
            "model,gpu,gpus,precision,batch,sample_size,samples_per_s,source,date,unverified")
        .contains(",profet,2021,");
  }
}
