package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.agent.AgentOptions;
import io.deepvm.checkpoint.agent.CheckpointService;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.RunStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs plans on real processes. */
@Timeout(300)
class RunCommandsIT {

  private static final String ROOT = System.getProperty("deepvm.root", "..");

  @TempDir Path folder;

  private final List<CheckpointService> agents = new ArrayList<>();

  /** What a command wrote in real time. */
  private record Said(int code, String out, String err) {}

  private static Said deepvm(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(out), new PrintWriter(err), false, false, true, Clock.systemUTC());
    int code = Main.run(terminal, words);
    return new Said(code, out.toString(), err.toString());
  }

  private static JsonNode json(Said said) throws IOException {
    return new ObjectMapper().readTree(said.out());
  }

  /** Writes a plan of so many spot workers that train for two hours. */
  private Path plan(int workers) throws IOException {
    String nodes =
        """
        {"schema": "deepvm/plans/v1", "plans": [{"rank": 1, "architecture": "tiering", "run": {
          "workers": [{"cloud": "aws", "region": "us-east-1", "zone": "us-east-1a",
            "instanceType": "g4dn.xlarge", "market": "spot", "count": %d, "anchor": false,
            "usdPerHour": 0.2, "onDemandUsdPerHour": 0.526}],
          "anchors": 1, "anchorsUsdPerHour": 0.085, "speeds": [%s], "seconds": 7200,
          "checkpoint": {"bytes": 1000000, "stallSeconds": 0.1, "shipSeconds": 1,
            "restoreSeconds": 1, "justInTime": true, "objectStore": false,
            "intervalSeconds": 600}}}]}
        """;
    List<String> speeds = new ArrayList<>();
    for (int n = 1; n <= workers; n++) {
      speeds.add(Double.toString((double) n / workers));
    }
    Path file = folder.resolve("plan.json");
    Files.writeString(file, nodes.formatted(workers, String.join(", ", speeds)));
    return file;
  }

  /** Writes a market that has so many nodes in each of its ticks of a minute. */
  private Path market(int... available) throws IOException {
    StringBuilder csv =
        new StringBuilder(
            """
            # deepvm market v1
            # name: scripted
            # tick-seconds: 60
            time,place,instance_type,available,asked,spot_usd_per_hour,on_demand_usd_per_hour
            """);
    for (int tick = 0; tick < available.length; tick++) {
      csv.append(
          "%d,aws/us-east-1/us-east-1a,g4dn.xlarge,%d,4,0.2,0.526\n"
              .formatted(60 * tick, available[tick]));
    }
    Path file = folder.resolve("market.csv");
    Files.writeString(file, csv.toString());
    return file;
  }

  /** Writes a job of so many steps over a parameter server. */
  private Path servedJob(String steps, String every) throws IOException {
    return Files.writeString(
        folder.resolve("training.yaml"),
        """
        name: served
        strategy: parameter-server
        model: {kind: mlp, hidden: [32]}
        data: {kind: generated-images, samples: 2000, noise: 2}
        batch: {micro: 8, target: 8}
        work: {steps: %s}
        optimizer: {kind: sgd, rate: 0.001}
        checkpoint: {folder: saved, every: %s}
        """
            .formatted(steps, every));
  }

  private static int[] minutes(int... countsAndMinutes) {
    List<Integer> ticks = new ArrayList<>();
    for (int i = 0; i < countsAndMinutes.length; i += 2) {
      for (int m = 0; m < countsAndMinutes[i + 1]; m++) {
        ticks.add(countsAndMinutes[i]);
      }
    }
    return ticks.stream().mapToInt(Integer::intValue).toArray();
  }

  @Test
  void theBuiltInTrainerLosesNodesAndFinishes() throws Exception {
    Path job = folder.resolve("training.yaml");
    Files.writeString(
        job,
        """
        name: small
        strategy: averaging
        model: {kind: mlp, hidden: [32]}
        data: {kind: generated-images, samples: 2000, noise: 2}
        batch: {micro: 8, target: 64}
        work: {steps: 400}
        optimizer: {kind: sgd, rate: 0.01, momentum: 0.9}
        checkpoint: {folder: saved, every: 5}
        """);
    Path report = folder.resolve("report.html");
    String run = folder.resolve("run").toString();
    Said said =
        deepvm(
            "run",
            "--plan",
            plan(3).toString(),
            "--training-job",
            job.toString(),
            "--trace",
            market(minutes(3, 60, 0, 15, 3, 2000)).toString(),
            "--speed",
            "240x",
            "--folder",
            run,
            "--report",
            report.toString(),
            "--output",
            "json");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(json(said).path("state").asText()).isEqualTo("FINISHED");
    assertThat(json(said).path("step").asLong()).isEqualTo(400);
    assertThat(json(said).path("usd").asDouble()).isPositive();
    assertThat(json(said).path("simulated").path("usd").asDouble()).isPositive();
    // the plan's anchor got what was saved, besides the folder
    assertThat(folder.resolve("run/anchor/versions/small")).isNotEmptyDirectory();
    assertThat(folder.resolve("run/checkpoints/small")).isNotEmptyDirectory();
    assertThat(Files.readString(report)).contains("<svg", "simulated before", "measured");
    Said status = deepvm("status", run, "--output", "json");
    assertThat(json(status).path("samples").asLong()).isEqualTo(400 * 64);
    // a folder holds one run, and who wants another there changes nothing of it
    String facts = Files.readString(folder.resolve("run/facts.json"));
    Said again = deepvm("run", "--plan", plan(3).toString(), "--folder", run);
    assertThat(again.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(again.err()).contains("There is a run in", "Maybe");
    assertThat(folder.resolve("run/job.yaml")).hasSameTextualContentAs(job);
    assertThat(folder.resolve("run/facts.json")).hasContent(facts);
  }

  @Test
  void thePlansAnchorServesParameters() throws Exception {
    Path job = servedJob("3000", "auto");
    Said said =
        deepvm(
            "run",
            "--plan",
            plan(2).toString(),
            "--training-job",
            job.toString(),
            "--trace",
            market(minutes(2, 4000)).toString(),
            "--speed",
            "240x",
            "--folder",
            folder.resolve("run").toString(),
            "--output",
            "json");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(json(said).path("samples").asLong()).isEqualTo(3000 * 8);
    assertThat(json(said).path("safeStep").asLong()).isEqualTo(3000);
    List<JsonNode> servers = new ArrayList<>();
    json(said)
        .path("nodes")
        .forEach(
            node ->
                servers.addAll(
                    node.path("role").asText().equals("SERVER") ? List.of(node) : List.of()));
    // the anchor is paid for as an anchor
    assertThat(servers).hasSize(1).allMatch(server -> server.path("usd").asDouble() == 0);
  }

  @Test
  void anUnchangedScriptEndsWithTheUndisturbedLoss() throws Exception {
    assumeTrue(hasTorch(), "Python has no torch here; maybe 'apt install python3-torch'.");
    Path script = Path.of(ROOT, "examples", "ddp.py").toAbsolutePath();
    List<String> undisturbed =
        List.of("--steps", "120", "--checkpoint", folder.resolve("a.pt").toString());
    Process alone = python(script, undisturbed);
    assertThat(alone.waitFor(120, TimeUnit.SECONDS)).isTrue();
    String expected =
        new String(alone.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(expected).startsWith("done: 120 steps, loss");

    Path run = folder.resolve("run");
    Said said =
        deepvm(
            "run",
            "--plan",
            plan(3).toString(),
            "--trace",
            // two of three, then all are taken while it trains
            market(minutes(3, 60, 1, 30, 3, 60, 0, 10, 3, 4000)).toString(),
            "--speed",
            "300x",
            "--folder",
            run.toString(),
            "--",
            "/usr/bin/python3",
            // as a user would write it: from where deepvm was called
            Path.of("").toAbsolutePath().relativize(script.normalize()).toString(),
            "--steps",
            "120",
            "--pause",
            "0.2",
            "--checkpoint",
            folder.resolve("b.pt").toString());
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.err()).contains(" lost: taken by the market");
    assertThat(printed(run)).contains("resumed from step", expected);
  }

  @Test
  void aScriptThatIsKilledOnOneNodeTrainsOnInTheProcessesOfTheOthers() throws Exception {
    assumeTrue(hasTorch(), "Python has no torch here; maybe 'apt install python3-torch'.");
    Path run = folder.resolve("run");
    String plan = plan(3).toString();
    String market = market(minutes(3, 4000)).toString();
    CompletableFuture<Said> ended =
        CompletableFuture.supplyAsync(
            () ->
                deepvm(
                    "run",
                    "--in-place",
                    "--plan",
                    plan,
                    "--trace",
                    market,
                    "--speed",
                    "300x",
                    "--folder",
                    run.toString(),
                    "--",
                    "env",
                    "PYTHONPATH=" + Path.of(ROOT, "clients", "python").toAbsolutePath(),
                    "/usr/bin/python3",
                    Path.of(ROOT, "examples", "elastic.py").toAbsolutePath().toString(),
                    "--steps",
                    "400",
                    "--pause",
                    "0.05"));
    awaitStatus(run.toString(), status -> status.step() >= 20);
    List<ProcessHandle> scripts =
        ProcessHandle.current()
            .descendants()
            .filter(each -> each.info().command().orElse("").contains("python"))
            .filter(each -> each.info().commandLine().orElse("").contains("elastic.py"))
            .toList();
    assertThat(scripts).hasSize(3);
    assertThat(scripts.get(0).destroyForcibly()).isTrue();
    Said said = ended.get(240, TimeUnit.SECONDS);
    assertThat(said.code()).as(said.err()).isZero();
    List<JsonNode> events = new ArrayList<>();
    for (String line : Files.readAllLines(run.resolve("events.jsonl"))) {
      events.add(new ObjectMapper().readTree(line));
    }
    List<JsonNode> exits = events.stream().filter(e -> is(e, "exited")).toList();
    assertThat(exits).hasSize(1);
    long lostIn = exits.get(0).path("generation").asLong();
    // the others keep their state, and the next process gets it from them
    assertThat(events)
        .filteredOn(e -> is(e, "joined") && e.path("generation").asLong() == lostIn + 1)
        .extracting(e -> e.path("from").asText())
        .hasSizeGreaterThanOrEqualTo(2)
        .contains("KEPT");
    assertThat(events)
        .filteredOn(e -> is(e, "joined") && e.path("generation").asLong() > lostIn)
        .extracting(e -> e.path("from").asText())
        .doesNotContain("FRESH", "CHECKPOINT");
    assertThat(printed(run)).contains("done: 400 steps, loss");
  }

  /** Starts an agent that keeps checkpoints in a folder of this name, and returns its socket. */
  private Path agent(String name) throws IOException, InterruptedException {
    Path socket = folder.resolve(name + "-own").resolve("a.sock");
    CheckpointService agent =
        new CheckpointService(
            AgentOptions.of(
                socket,
                "shapes",
                DataSize.parse("16MiB"),
                List.of(new DirectoryTier("disk", Level.DURABLE, folder.resolve(name)))));
    agent.start();
    agents.add(agent);
    return socket;
  }

  @AfterEach
  void endAgents() throws Exception {
    for (CheckpointService agent : agents) {
      agent.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"plain, 1", "ddp, 2"})
  void aShapeOfScriptEndsWithTheUndisturbedLossAfterThreeLosses(String shape, int workers)
      throws Exception {
    assumeTrue(hasTorch(), "Python has no torch here; maybe 'apt install python3-torch'.");
    Path clients = Path.of(ROOT, "clients", "python").toAbsolutePath();
    Path script = clients.resolve("shapes").resolve(shape + ".py");
    String dropout = "--dropout=" + (workers == 1 ? "0.2" : "0");
    Process alone =
        python(
            script,
            List.of("--steps=120", dropout),
            Map.of("DEEPVM_AGENT", agent("alone").toString(), "PYTHONPATH", clients.toString()));
    assertThat(alone.waitFor(120, TimeUnit.SECONDS)).isTrue();
    double undisturbed =
        finalLoss(new String(alone.getInputStream().readAllBytes(), StandardCharsets.UTF_8));

    Path run = folder.resolve("run");
    int less = workers - 1;
    Said said =
        deepvm(
            "run",
            "--plan",
            plan(workers).toString(),
            "--trace",
            market(
                    minutes(
                        workers, 40, less, 10, workers, 40, less, 10, workers, 40, less, 10,
                        workers, 6000))
                .toString(),
            "--speed",
            "300x",
            "--folder",
            run.toString(),
            "--",
            "env",
            "PYTHONPATH=" + clients,
            "DEEPVM_AGENT=" + agent("disturbed"),
            "/usr/bin/python3",
            script.toString(),
            "--steps=120",
            "--pause=0.25",
            dropout);
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(Files.readAllLines(run.resolve("events.jsonl")))
        .filteredOn(line -> line.contains("\"to\":\"LOST\""))
        .hasSize(3);
    // sums over other numbers of ranks differ in their last bits
    assertThat(finalLoss(printed(run)))
        .isCloseTo(undisturbed, within(workers == 1 ? 0 : 1e-4 * undisturbed));
  }

  private static double finalLoss(String said) {
    Matcher line = Pattern.compile("final loss ([0-9.]+)").matcher(said);
    assertThat(line.find()).as(said).isTrue();
    return Double.parseDouble(line.group(1));
  }

  private static boolean is(JsonNode event, String kind) {
    return event.path("event").asText().equals(kind);
  }

  private static int mode(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
  }

  /** All that a run wrote itself; a node's claim is the shell's, in a folder that is private. */
  private static List<Path> written(Path run) throws IOException {
    try (Stream<Path> all = Files.walk(run)) {
      return all.filter(path -> !path.equals(run)).filter(path -> !path.endsWith("claim")).toList();
    }
  }

  @Test
  void nothingOfARunCanBeReadByOthersEvenInAFolderThatTheyCanEnter() throws Exception {
    Path run = Files.createDirectory(folder.resolve("run"));
    Files.setAttribute(run, "unix:mode", 0755);
    Said said =
        deepvm(
            "run",
            "--plan",
            plan(1).toString(),
            "--trace",
            market(minutes(1, 4000)).toString(),
            "--speed",
            "60x",
            "--folder",
            run.toString(),
            "--",
            "sh",
            "-c",
            "echo secret; echo secret >&2");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(written(run))
        .contains(
            run.resolve("run.json"),
            run.resolve("events.jsonl"),
            run.resolve("nodes/n1/out.log"),
            run.resolve("nodes/n1/err.log"),
            run.resolve("nodes/n1/agent.log"))
        .allSatisfy(path -> assertThat(mode(path) & 0077).as("%s", path).isZero());
  }

  @Test
  void aSharedRunIsOpenToItsGroupExceptForItsSecrets() throws Exception {
    Path run = folder.resolve("run");
    Said said =
        deepvm(
            "run",
            "--shared",
            "--plan",
            plan(1).toString(),
            "--trace",
            market(minutes(1, 4000)).toString(),
            "--speed",
            "60x",
            "--folder",
            run.toString(),
            "--",
            "true");
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(mode(run)).isEqualTo(02770);
    assertThat(mode(run.resolve("token"))).isEqualTo(0600);
    assertThat(mode(run.resolve("worker.token"))).isEqualTo(0600);
    assertThat(written(run))
        .filteredOn(path -> !path.endsWith("token") && !path.endsWith("worker.token"))
        .allSatisfy(
            path ->
                assertThat(mode(path))
                    .as("%s", path)
                    .isEqualTo(Files.isDirectory(path) ? 02770 : 0660));
  }

  @Test
  void aCommandOfSeveralProcessesANodePrintsHereAndHasAReport() throws Exception {
    Path report = folder.resolve("report.html");
    Said said =
        deepvm(
            "run",
            "--plan",
            plan(2).toString(),
            "--trace",
            market(minutes(2, 4000)).toString(),
            "--speed",
            "60x",
            "--folder",
            folder.resolve("run").toString(),
            "--nproc-per-node",
            "2",
            "--report",
            report.toString(),
            "--output",
            "json",
            "--",
            "sh",
            "-c",
            "echo \"hello from $RANK of $WORLD_SIZE\"; printf '\\033[2Jlast words'");
    assertThat(said.code()).as(said.err()).isZero();
    // the result stays JSON, whatever the script prints
    assertThat(json(said).path("state").asText()).isEqualTo("FINISHED");
    assertThat(said.err())
        .contains("Each g4dn.xlarge starts 2 processes.")
        .contains("[rank0]: hello from 0 of 4\n", "[rank0]: last words\n")
        .doesNotContain("hello from 1", "\u001b");
    assertThat(Files.readString(report))
        .contains("<svg", "the plan, simulated", "the command, measured", "restarts after failures")
        .contains("The command on each node: sh -c", "Each g4dn.xlarge starts 2 processes.");
  }

  @Test
  void aRunIsStoppedFromOutside() throws Exception {
    String run = folder.resolve("run").toString();
    Path plan = plan(2);
    CompletableFuture<Said> running =
        CompletableFuture.supplyAsync(
            () -> deepvm("run", "--plan", plan.toString(), "--folder", run, "--", "sleep", "600"));
    awaitStatus(run, status -> status.generation() > 0);
    Said stopped = deepvm("stop", run);
    assertThat(stopped.code()).as(stopped.err()).isZero();
    assertThat(stopped.out()).contains("stopped");
    assertThat(running.get(60, TimeUnit.SECONDS).code()).isEqualTo(Exit.FAILED_INSIDE);
    assertThat(ProcessHandle.allProcesses().filter(process -> isOf(run, process))).isEmpty();
  }

  @Test
  void serversSaveBeforeTheirRunIsStopped() throws Exception {
    Path job = servedJob("100000000", "100000000");
    String run = folder.resolve("run").toString();
    String plan = plan(2).toString();
    String market = market(minutes(2, 4000)).toString();
    CompletableFuture<Said> running =
        CompletableFuture.supplyAsync(
            () ->
                deepvm(
                    "run",
                    "--plan",
                    plan,
                    "--training-job",
                    job.toString(),
                    "--trace",
                    market,
                    "--speed",
                    "240x",
                    "--folder",
                    run));
    RunStatus before = awaitStatus(run, status -> status.step() > 50);
    Said stopped = deepvm("stop", run);
    assertThat(stopped.code()).as(stopped.err()).isZero();
    RunStatus after = Runs.status(Path.of(run), Clock.systemUTC());
    assertThat(after.safeStep()).isGreaterThanOrEqualTo(before.step());
    assertThat(running.get(60, TimeUnit.SECONDS).code()).isEqualTo(Exit.FAILED_INSIDE);
  }

  private static boolean isOf(String run, ProcessHandle process) {
    try {
      Path variables = Path.of("/proc", Long.toString(process.pid()), "environ");
      return Files.readString(variables, StandardCharsets.ISO_8859_1)
          .contains("DEEPVM_FOLDER=" + run);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void whatIsNotThereIsSaid() throws IOException {
    Said none = deepvm("status", folder.resolve("nothing").toString());
    assertThat(none.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(none.err()).contains("There is no run in", "Maybe");
    Said wrong = deepvm("run", "--plan", plan(2).toString(), "--speed", "fast", "--", "true");
    assertThat(wrong.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(wrong.err()).contains("'fast'", "Maybe");
  }

  @Test
  void whatIsRefusedWritesNothing() throws IOException {
    String plan = plan(2).toString();
    Path named = folder.resolve("my run");
    Said name = deepvm("run", "--plan", plan, "--folder", named.toString(), "--", "true");
    assertThat(name.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(name.err()).contains("'my run' is no name for a run", "Maybe");
    assertThat(named).doesNotExist();
    Path run = folder.resolve("run");
    Said crowd =
        deepvm(
            "run",
            "--plan",
            plan,
            "--folder",
            run.toString(),
            "--nproc-per-node",
            "500",
            "--",
            "true");
    assertThat(crowd.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(crowd.err())
        .contains("The plan's 2 nodes start 1000 processes", "Maybe", "--nproc-per-node");
    Said trainer = deepvm("run", "--plan", plan, "--folder", run.toString(), "--logs", "all");
    assertThat(trainer.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(trainer.err()).contains("--logs is for a command", "Maybe");
    assertThat(run).doesNotExist();
  }

  /** Waits until the run stands so, for at most two minutes, and returns how it stands then. */
  private static RunStatus awaitStatus(String run, Predicate<RunStatus> which) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (System.nanoTime() < deadline) {
      try {
        RunStatus status = Runs.status(Path.of(run), Clock.systemUTC());
        if (which.test(status)) {
          return status;
        }
      } catch (IOException | RuntimeException e) {
        // There is no run yet.
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    throw new AssertionError("The run in %s never stood so.".formatted(run));
  }

  private static boolean hasTorch() throws Exception {
    Path python = Path.of("/usr/bin/python3");
    if (!Files.isExecutable(python)) {
      return false;
    }
    Process process = new ProcessBuilder(python.toString(), "-c", "import torch").start();
    return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  private static Process python(Path script, List<String> arguments) throws IOException {
    return python(script, arguments, Map.of());
  }

  private static Process python(Path script, List<String> arguments, Map<String, String> more)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("/usr/bin/python3", script.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("OMP_NUM_THREADS", "1");
    builder.environment().put("RANK", "0");
    builder.environment().put("WORLD_SIZE", "1");
    builder.environment().put("MASTER_ADDR", "127.0.0.1");
    builder.environment().put("MASTER_PORT", "0");
    builder.environment().putAll(more);
    return builder.start();
  }

  private static String printed(Path run) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(run.resolve("nodes"))) {
      for (Path file : files.filter(f -> f.endsWith("out.log")).toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }
}
