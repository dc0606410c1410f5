package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.places.slurm.TestSlurm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs and arrays on a real Slurm whose three nodes are this machine. */
@Timeout(240)
class SlurmRunIT {

  private static final String REPOSITORY = System.getProperty("deepvm.root");

  @TempDir private static Path shared;
  @TempDir private Path folder;
  private static TestSlurm cluster;

  @BeforeAll
  static void start() throws Exception {
    TestSlurm.require();
    cluster = TestSlurm.start(shared.resolve("slurm"));
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static List<String> java() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        Main.class.getName());
  }

  /** Starts deepvm in the test's folder, as on a login node; it prints into a file. */
  private Process deepvm(Path log, String... words) throws IOException {
    List<String> line = new ArrayList<>(java());
    line.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.environment().put("SLURM_CONF", cluster.config().toString());
    return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  private String said(String... words) throws Exception {
    Path log = Files.createTempFile(folder, "said", ".log");
    Process process = deepvm(log, words);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    return Files.readString(log);
  }

  private static void await(String what, Callable<Boolean> so) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (!so.call()) {
      assertThat(System.nanoTime()).as("waiting until " + what).isLessThan(until);
      Thread.sleep(50);
    }
  }

  @Test
  void threeJobsTrainThroughTheLossOfOneAndTheRunEndsWithoutJobs() throws Exception {
    Files.writeString(
        folder.resolve("train.sh"),
        """
        echo "rank $RANK of $WORLD_SIZE"
        until [ -e "$DEEPVM_CHECKPOINT/end" ]; do sleep 0.1; done
        """);
    Path log = folder.resolve("run.log");
    Process run =
        deepvm(
            log,
            "run",
            "--on",
            "slurm",
            "--folder",
            "jobs",
            "--logs",
            "all",
            "--",
            "sh",
            "train.sh");
    await("all train", () -> count(log, " of 3") >= 3);
    cluster.command("scancel", "--full", "--signal=KILL", job("n2"));
    await("the others go on", () -> count(log, "n2 lost") == 1);
    await("another takes its place", () -> count(log, " of 3") >= 6);
    assertThat(cluster.command("sbatch", "--version")).startsWith("slurm");
    Files.createFile(folder.resolve("jobs/checkpoints/end"));
    assertThat(run.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(run.exitValue()).as(Files.readString(log)).isZero();
    assertThat(Files.readString(log)).contains("finished").contains("1 lost");
    assertThat(cluster.command("squeue", "--noheader").strip()).isEmpty();
  }

  private String job(String node) throws Exception {
    String jobs = cluster.command("squeue", "--noheader", "--format=%i %j");
    return jobs.lines()
        .filter(line -> line.endsWith("-" + node))
        .map(line -> line.split(" ", -1)[0])
        .findFirst()
        .orElseThrow(() -> new AssertionError(jobs));
  }

  private static long count(Path log, String text) throws IOException {
    return Files.readString(log).lines().filter(line -> line.contains(text)).count();
  }

  @Test
  void anArrayOfJobsGivesTheBytesOfOneMachine() throws Exception {
    String plan =
        said(
            "plan",
            "--max-price-per-hour",
            "20",
            "--job",
            Path.of(REPOSITORY, "examples/resnet50.yaml").toString(),
            "--output",
            "json");
    Files.writeString(folder.resolve("plan.json"), plan.substring(plan.indexOf('{')));
    Path script = folder.resolve("deepvm");
    Files.writeString(script, "exec " + quoted(java()) + " \"$@\"\n", StandardCharsets.UTF_8);
    String whole = said("simulate", "--plan", "plan.json", "--runs", "60", "--output", "json");
    String said =
        cluster.command(
            "sbatch",
            "--wait",
            "--array=1-3",
            "--chdir=" + folder,
            "--export=ALL,DEEPVM=" + Files.copy(script, folder.resolve("deepvm.sh")),
            array().toString(),
            "plan.json",
            "60");
    assertThat(said).contains("Submitted batch job");
    String merged =
        said(
            "simulate",
            "--plan",
            "plan.json",
            "--runs",
            "60",
            "--output",
            "json",
            "--merge",
            "part-1.bin",
            "part-2.bin",
            "part-3.bin");
    assertThat(merged).isEqualTo(whole);
  }

  /** Returns the example, which starts DeepVM by a shell here. */
  private Path array() throws IOException {
    Path copy = folder.resolve("array.sbatch");
    String text = Files.readString(Path.of(REPOSITORY, "examples/simulate-array.sbatch"));
    assertThat(text).contains("\"${DEEPVM:-./deepvm}\" simulate");
    return Files.writeString(copy, text.replace("\"${DEEPVM:-", "sh \"${DEEPVM:-"));
  }

  private static String quoted(List<String> words) {
    return String.join(" ", words.stream().map(word -> "'" + word + "'").toList());
  }
}
