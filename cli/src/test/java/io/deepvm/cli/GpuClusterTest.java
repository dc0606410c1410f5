package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs predict on clusters that are described by their GPUs. */
final class GpuClusterTest {

  @TempDir Path folder;

  private static final String LLAMA = "../examples/llama-7b-finetune.yaml";
  private static final String RESNET = "../examples/resnet50.yaml";

  private static Screen predict(String job, String... options) {
    List<String> line = new ArrayList<>(List.of("predict", "--job", job));
    line.addAll(List.of(options));
    return Screen.run(line.toArray(String[]::new));
  }

  private static double speed(String job, String... options) throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--output", "json"));
    JsonNode json = new ObjectMapper().readTree(predict(job, all.toArray(String[]::new)).out());
    return json.at("/predicted/samplesPerSecond").asDouble();
  }

  @Test
  void moreNetworkIsFaster() throws Exception {
    double slow = speed(LLAMA, "--gpu", "L40S", "--nodes", "8", "--network", "2.5Gbps");
    double fast = speed(LLAMA, "--gpu", "L40S", "--nodes", "8", "--network", "100Gbps");

    assertThat(slow).isPositive().isLessThan(0.8 * fast);
  }

  @Test
  void oneGpuAloneHasTheSpeedOfTheJob() throws Exception {
    // 0.108 of 125 TFLOPS for 2.46e10 operations a sample
    assertThat(speed(RESNET, "--gpu", "A10")).isBetween(547.0, 550.0);
  }

  @Test
  void theAnswerSaysHowTheBatchIsSplitAndWhatTheNetworkCosts() {
    Screen screen = predict(RESNET, "--gpu", "T4", "--gpus", "4", "--nodes", "8");

    assertThat(screen.out())
        .contains("Exchange: gradients of 51 MB over 10 Gbps")
        .contains("Batch: 32 samples a replica")
        .contains("the network of 4 x T4: 10 Gbps");
  }

  @Test
  void aModelOverTwiceTheNodesIsFasterButNotTwiceAsFast() throws Exception {
    double one = ofModel("--nodes", "1").get("samplesPerSecond").asDouble();
    JsonNode two = ofModel("--nodes", "2", "--network", "5Gbps");

    assertThat(two.get("nodes").asInt()).isEqualTo(2);
    assertThat(two.get("samplesPerSecond").asDouble()).isBetween(1.05 * one, 1.99 * one);
    assertThat(two.get("low").asDouble()).isLessThanOrEqualTo(two.get("high").asDouble());
    assertThat(two.get("timesOneNode").asDouble()).isBetween(1.05, 1.99);
    assertThat(two.get("rows").isEmpty()).isFalse();
  }

  private static JsonNode ofModel(String... options) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of("predict", "--model", "resnet50", "--gpu", "T4", "--output", "json"));
    line.addAll(List.of(options));
    return new ObjectMapper().readTree(Screen.run(line.toArray(String[]::new)).out());
  }

  @Test
  void measuredInstanceTypeAnswersForItsGpus() throws Exception {
    Path job = folder.resolve("job.yaml");
    Files.writeString(
        job,
        """
        samplesPerSecond: {g5.12xlarge: 100}
        work: {samples: 1e7, flopPerSample: 5e10}
        """);
    assertThat(speed(job.toString(), "--gpu", "A10G", "--gpus", "4")).isCloseTo(100, within(1e-6));
  }

  @Test
  void eightT4OfOneNodeReachTheSpeedUpOfSpotDnn() throws Exception {
    Path job = folder.resolve("vgg19.yaml");
    Files.writeString(
        job,
        """
        name: vgg19
        precision: fp32
        batch: 64
        model: {parameters: 143.5e6}
        training: {software: host-sum}
        samplesPerSecond: {T4: 25}
        work: {samples: 1e7, flopPerSample: 1.18e11}
        """);
    double one = speed(job.toString(), "--gpu", "T4");
    double eight = speed(job.toString(), "--gpu", "T4", "--gpus", "8");

    // figure 2(b): 152 over 25 samples/s; the page states an error of 1.8 %
    assertThat(eight / one).isCloseTo(6.08, within(0.018 * 6.08));
  }

  @Test
  void modelThatTheMemoryCannotHoldIsSaidNotToFit() throws Exception {
    JsonNode small = ofModelOn("llama-2-7b", "T4");
    assertThat(small.get("fits").asBoolean()).isFalse();
    assertThat(small.get("memory").asText()).contains("it does not fit, however it is split");
    assertThat(small.get("samplesPerSecond").asDouble()).isPositive();

    JsonNode large = ofModelOn("bert-base", "T4");
    assertThat(large.get("fits").asBoolean()).isTrue();
  }

  @Test
  void frozenWeightsHaveNeitherGradientsNorOptimizerState() throws Exception {
    String memory = ofModelOn("llama-2-70b-lora", "H100", "--gpus", "8").get("memory").asText();

    assertThat(memory).contains("weights 138 GB, gradients 89 MB, optimizer 535 MB");
    assertThat(ofModelOn("dlrm-dcnv2", "H100").get("memory").asText()).contains("gradients 32 MB");
  }

  private static JsonNode ofModelOn(String model, String gpu, String... options) throws Exception {
    List<String> line =
        new ArrayList<>(List.of("predict", "--model", model, "--gpu", gpu, "--output", "json"));
    line.addAll(List.of(options));
    return new ObjectMapper().readTree(Screen.run(line.toArray(String[]::new)).out());
  }

  @Test
  void whatDoesNotAddUpIsRefused() {
    assertThat(predict(RESNET).exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(predict(RESNET).err()).contains("--cluster and --architecture, or --gpu");
    assertThat(predict(RESNET, "--gpu", "H1000").err()).contains("There is no GPU 'H1000'");
    assertThat(predict(RESNET, "--gpu", "H100", "--nodes", "0").err())
        .contains("--nodes is 0, which is less than 1");
  }
}
