package io.deepvm.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.deepvm.base.BadInput;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandoverTest {

  /** Text that ends quotes, comments and lines, and that shells and Terraform would evaluate. */
  private static final String HOSTILE =
      "a'b\"c\\ ${d} %{e} $(touch /tmp/f) `g` #h: - i \u2028 {{ j }}\nk";

  private static final Task TASK =
      new Task(
          "bert finetune",
          List.of("python3", "train.py", "--note", "it's $HOME"),
          "pip install -r requirements.txt",
          ".",
          "pytorch/pytorch:2.7.1",
          null);

  @TempDir private Path folder;

  private static String resource(String name) throws IOException {
    try (InputStream in = HandoverTest.class.getResourceAsStream(name)) {
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private HandedPlan plan(int rank) throws IOException {
    Path file = folder.resolve("plan.json");
    Files.writeString(file, resource("plan.json"));
    return PlanDocument.read(file, rank);
  }

  @ParameterizedTest
  @CsvSource({
    "skypilot, task.yaml",
    "jobset, jobset.yaml",
    "terraform, main.tf.json",
    "sbatch, train.sbatch"
  })
  void theFileOfEachToolIsAsExpected(String tool, String file) throws IOException {
    Handover handover = Handovers.named(tool);
    assertThat(handover.file()).isEqualTo(file);
    String text = handover.text(plan(1), TASK);
    Path written = Path.of("target", "handover", file);
    Files.createDirectories(written.getParent());
    Files.writeString(written, text);
    assertThat(text).as("compare with %s", written).isEqualTo(resource(file));
  }

  /** A plan in which every name is hostile. */
  private static HandedPlan hostile() {
    var site = new PlannedNodes.Site("aws", HOSTILE, HOSTILE);
    var group = new PlannedNodes("worker", site, HOSTILE, true, 2, BigDecimal.ONE, 1);
    var anchor = new PlannedNodes("anchor", site, HOSTILE, false, 1, BigDecimal.ONE, 0);
    return new HandedPlan(1, HOSTILE, List.of(group, anchor), BigDecimal.TEN, null, List.of());
  }

  private static Task hostileTask(@Nullable String image) {
    return new Task(HOSTILE, List.of("printf", "%s|", HOSTILE, "$(x)"), "", HOSTILE, image, null);
  }

  @Test
  void hostileNamesStayTextInYaml() throws IOException {
    JsonNode task = new YAMLMapper().readTree(text("skypilot"));
    assertThat(task.at("/resources/ordered/0/instance_type").asText()).isEqualTo(HOSTILE);
    assertThat(task.path("workdir").asText()).isEqualTo(HOSTILE);
    assertThat(task.path("name").asText()).matches("[a-z][a-z0-9-]*");
    assertThat(task.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder(
            "name", "num_nodes", "resources", "workdir", "file_mounts", "envs", "run");
    JsonNode jobs = new YAMLMapper().readTree(text("jobset"));
    JsonNode pod = jobs.at("/spec/replicatedJobs/0/template/spec/template/spec");
    assertThat(pod.at("/nodeSelector/node.kubernetes.io~1instance-type").asText())
        .isEqualTo(HOSTILE);
    assertThat(pod.at("/containers/0/command/6").asText()).isEqualTo(HOSTILE.replace("$", "$$"));
  }

  private static String text(String tool) {
    return Handovers.named(tool).text(hostile(), hostileTask("image"));
  }

  @Test
  void terraformReadsNoExpressionInANameOrACommand() throws IOException {
    JsonNode root = JsonMapper.builder().build().readTree(text("terraform"));
    JsonNode worker = root.at("/resource/aws_instance/worker_0");
    assertThat(worker.path("instance_type").asText())
        .contains("$${d}", "%%{e}")
        .doesNotContainPattern("(?<!\\$)\\$\\{");
    assertThat(
            worker
                .path("user_data")
                .asText()
                .replace("${var.lease_minutes}", "")
                .replace("${count.index}", ""))
        .doesNotContainPattern("(?<!\\$)\\$\\{")
        .startsWith("#!/bin/sh\nshutdown -h +");
  }

  @Test
  void aShellPassesHostileWordsOnAsTheyAre() throws Exception {
    Task task = hostileTask(null);
    assertThat(shell(task.commandLine())).isEqualTo(HOSTILE + "|$(x)|");
    Path script = folder.resolve("train.sbatch");
    Files.writeString(script, text("sbatch"));
    assertThat(new ProcessBuilder("sh", "-n", script.toString()).start().waitFor()).isZero();
    assertThat(Files.readAllLines(script).stream().filter(line -> line.startsWith("#SBATCH")))
        .allMatch(line -> line.matches("#SBATCH [a-z0-9=@ -]+(TERM@120)?"));
  }

  private static String shell(String line) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", line).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return said;
  }

  @Test
  void noNameCanEndTheCommentAtTheHead() {
    for (String tool : List.of("skypilot", "jobset", "sbatch")) {
      List<String> lines = text(tool).lines().dropWhile(line -> line.startsWith("#")).toList();
      assertThat(lines).as(tool).noneMatch("k"::equals);
      assertThat(text(tool)).contains("Lost in translation:");
    }
  }

  @Test
  void whatAToolCannotDoIsRefusedWithAWayOut() throws IOException {
    HandedPlan google = plan(2);
    assertThatThrownBy(() -> Handovers.named("terraform").text(google, TASK))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("AWS only");
    assertThatThrownBy(() -> Handovers.named("jobset").text(google, hostileTask(null)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("image");
    assertThatThrownBy(() -> Handovers.named("terrafrom")).isInstanceOf(BadInput.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"schema\":\"deepvm/plans/v1\",\"plans\":[]}",
        "{\"schema\":\"deepvm/plans/v1\",\"plans\":[{\"rank\":1,\"architecture\":\"a\"}]}",
        "{\"schema\":\"deepvm/plans/v1\",\"plans\":[{\"rank\":1,\"nodes\":[{\"role\":\"king\"}]}]}"
      })
  void aFileThatIsNoPlanIsRefused(String text) throws IOException {
    Path file = folder.resolve("bad.json");
    Files.writeString(file, text);
    assertThatThrownBy(() -> PlanDocument.read(file, 1)).isInstanceOf(BadInput.class);
  }

  @Test
  void terraformAcceptsTheFileWhereItIsInstalled() throws Exception {
    assumeTrue(onPath("terraform"), "terraform is not installed");
    Files.writeString(
        folder.resolve("main.tf.json"), Handovers.named("terraform").text(plan(1), TASK));
    // Without a network there is no provider to compare with.
    assumeTrue(terraform("init", "-backend=false", "-input=false") == 0, "no provider is at hand");
    assertThat(terraform("validate")).isZero();
  }

  private int terraform(String... arguments) throws Exception {
    List<String> line = new ArrayList<>(List.of("terraform"));
    line.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("terraform.log").toFile())
            .start();
    assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private static boolean onPath(String program) {
    for (String part : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      if (Files.isExecutable(Path.of(part, program))) {
        return true;
      }
    }
    return false;
  }
}
