package io.deepvm.handover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shell lines of exported files start a process for each GPU, as torchrun does. */
@Timeout(240)
class LauncherIT {

  private static final List<String> SAY =
      List.of(
          "sh", "-c", "echo $RANK of $WORLD_SIZE, $LOCAL_RANK of $LOCAL_WORLD_SIZE: $0", "it's");

  @TempDir private Path folder;

  private static Task task(@Nullable Integer processes, List<String> command) {
    return new Task("a run", command, "", null, "image", processes);
  }

  /** Returns plan 1 of the tests: four workers with one GPU and one with four. */
  private HandedPlan plan() throws IOException {
    Path file = folder.resolve("plan.json");
    try (InputStream in = LauncherIT.class.getResourceAsStream("plan.json")) {
      Files.write(file, in == null ? new byte[0] : in.readAllBytes());
    }
    return PlanDocument.read(file, 1);
  }

  private Process start(Map<String, String> environment, String... line) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said.txt").toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }

  /** Runs a program and returns its lines in order. */
  private List<String> lines(Map<String, String> environment, String... line) throws Exception {
    Process process = start(environment, line);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    List<String> said = Files.readAllLines(folder.resolve("said.txt"));
    assertThat(process.exitValue()).as("%s", said).isZero();
    return said.stream().sorted().toList();
  }

  private static List<String> ranks(int first, int count, int all) {
    return IntStream.range(0, count)
        .mapToObj(i -> "%d of %d, %d of %d: it's".formatted(first + i, all, i, count))
        .toList();
  }

  @Test
  void skyPilotsNodesStartAProcessForEachGpuThatTheyHave() throws Exception {
    String text = Handovers.named("skypilot").text(plan(), task(null, SAY));
    String run = new YAMLMapper().readTree(text).path("run").asText();
    Map<String, String> node = new TreeMap<>();
    node.put("SKYPILOT_NODE_IPS", "10.0.0.1\n10.0.0.2");
    node.put("SKYPILOT_NUM_NODES", "2");
    node.put("SKYPILOT_NODE_RANK", "1");
    node.put("SKYPILOT_NUM_GPUS_PER_NODE", "4");
    assertThat(lines(node, "bash", "-c", run)).isEqualTo(ranks(4, 4, 8));
    node.put("SKYPILOT_NUM_GPUS_PER_NODE", "0");
    assertThat(lines(node, "bash", "-c", run)).isEqualTo(ranks(1, 1, 2));
    String stated = Handovers.named("skypilot").text(plan(), task(3, SAY));
    run = new YAMLMapper().readTree(stated).path("run").asText();
    assertThat(lines(node, "bash", "-c", run)).isEqualTo(ranks(3, 3, 6));
  }

  @Test
  void podsOfUnlikeGroupsShareOneNumberingOfProcesses() throws Exception {
    String text = Handovers.named("jobset").text(plan(), task(null, SAY));
    JsonNode jobs = new YAMLMapper().readTree(text).at("/spec/replicatedJobs");
    assertThat(pod(jobs.get(0), 2)).isEqualTo(ranks(2, 1, 8));
    assertThat(pod(jobs.get(1), 0)).isEqualTo(ranks(4, 4, 8));
  }

  /** Starts a container as Kubernetes does: $$ in its command stands for one $. */
  private List<String> pod(JsonNode job, int index) throws Exception {
    JsonNode container = job.at("/template/spec/template/spec/containers/0");
    List<String> command = new ArrayList<>();
    container.path("command").forEach(word -> command.add(word.asText().replace("$$", "$")));
    Map<String, String> environment = new TreeMap<>();
    environment.put("JOB_COMPLETION_INDEX", Integer.toString(index));
    container
        .path("env")
        .forEach(each -> environment.put(each.path("name").asText(), each.path("value").asText()));
    return lines(environment, command.toArray(String[]::new));
  }

  @Test
  void slurmsTasksFindTheirGroupByTheirNumber() throws Exception {
    script("scontrol", "echo node0\necho node1");
    // Each of the five nodes runs the words behind srun's options.
    script(
        "srun",
        "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n"
            + "for SLURM_PROCID in 0 1 2 3 4; do export SLURM_PROCID; \"$@\" || exit; done");
    Path file = folder.resolve("train.sbatch");
    Files.writeString(file, Handovers.named("sbatch").text(plan(), task(null, SAY)));
    String path = folder + ":" + System.getenv("PATH");
    List<String> said = lines(Map.of("PATH", path), "sh", file.toString());
    List<String> wanted = new ArrayList<>();
    for (int node = 0; node < 4; node++) {
      wanted.addAll(ranks(node, 1, 8));
    }
    wanted.addAll(ranks(4, 4, 8));
    assertThat(said).isEqualTo(wanted);
  }

  private void script(String name, String text) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void terraformsMachinesStartAProcessForEachGpu() throws Exception {
    String text = Handovers.named("terraform").text(plan(), task(null, SAY));
    JsonNode data =
        JsonMapper.builder().build().readTree(text).at("/resource/aws_instance/worker_1/user_data");
    // Terraform fills its expressions in; $${ stands for one ${.
    String script =
        data.asText()
            .replace("shutdown -h +${var.lease_minutes}", ":")
            .replace("${count.index}", "0")
            .replace("$${", "${");
    assertThat(lines(Map.of(), "sh", "-c", script)).isEqualTo(ranks(4, 4, 8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sh", "bash"})
  void whenOneProcessFailsTheOthersAreEndedAndItsCodeIsTheNodes(String shell) throws Exception {
    Process node = launch(shell, "[ $RANK = 1 ] && exit 7; echo up; while :; do sleep 0.1; done");
    assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(node.exitValue()).isEqualTo(7);
    assertThat(Files.readAllLines(folder.resolve("said.txt"))).contains("up");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sh", "bash"})
  void aNoticeReachesEachProcessAndTheNodeWaitsForTheirSaves(String shell) throws Exception {
    Process node =
        launch(
            shell,
            "trap 'sleep 0.3; echo saved $RANK; exit 0' TERM; touch up$RANK;"
                + " while :; do sleep 0.1; done");
    while (!IntStream.range(0, 3).allMatch(i -> Files.exists(folder.resolve("up" + i)))) {
      Thread.onSpinWait();
    }
    node.destroy();
    assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(node.exitValue()).isEqualTo(143);
    assertThat(Files.readAllLines(folder.resolve("said.txt")))
        .filteredOn(line -> line.startsWith("saved"))
        .containsExactlyInAnyOrder("saved 0", "saved 1", "saved 2");
  }

  private Process launch(String shell, String command) throws IOException {
    return start(
        Map.of("LOCAL_WORLD_SIZE", "3", "WORLD_SIZE", "3", "FIRST_RANK", "0"),
        shell,
        "-c",
        Processes.launcher(),
        "worker",
        "sh",
        "-c",
        command);
  }

  @Test
  void aFileSaysThatItsNodesStartSeveralProcesses() throws IOException {
    for (String tool : List.of("skypilot", "jobset", "sbatch")) {
      assertThat(Handovers.named(tool).text(plan(), task(null, SAY)))
          .contains("one for each GPU: a command that starts its own, such as torchrun");
      assertThat(Handovers.named(tool).text(plan(), task(1, SAY))).doesNotContain("torchrun");
    }
    assertThat(new Processes(single(), task(null, SAY)).of(single().workers().get(0))).isOne();
  }

  private static HandedPlan single() {
    var site = new PlannedNodes.Site("aws", "us-east-1", null);
    var group = new PlannedNodes("worker", site, "c5.xlarge", true, 2, BigDecimal.ONE, 0);
    return new HandedPlan(1, "tiering", List.of(group), BigDecimal.TEN, null, List.of());
  }
}
