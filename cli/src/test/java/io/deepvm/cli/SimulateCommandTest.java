package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import io.deepvm.simulator.policy.Policies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans, simulates what was planned, and plans by what was simulated, on the bundled traces. */
class SimulateCommandTest {

  private static final String MARKET = "gcp-h100-2025-10";

  @TempDir static Path folder;

  private static Path job;
  private static Path plan;

  @BeforeAll
  static void planOnce() throws IOException {
    job = folder.resolve("job.yaml");
    Files.writeString(
        job,
        """
        name: long
        precision: fp16
        checkpoint: 27GB
        gpuMemory: 75GB
        work: {samples: 1e6, flopPerSample: 8.3e13, utilisation: 0.4}
        """);
    plan = folder.resolve("plan.json");
    Screen screen =
        planned("--deadline", "24h", "--output", "json", "--confidence", "0.5", "--runs", "20");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    Files.writeString(plan, screen.out());
  }

  private static Screen planned(String... more) {
    List<String> args =
        new ArrayList<>(
            List.of(
                "plan",
                "--max-price-per-hour",
                "40",
                "--job",
                job.toString(),
                "--place",
                "gcp/us-central1/us-central1-a",
                "--architecture",
                "tiering",
                "--trace",
                MARKET));
    args.addAll(List.of(more));
    return Screen.run(args.toArray(String[]::new));
  }

  @Test
  void aPlanByChanceShowsWhatTheDependenceOfNodesChanges() {
    String root = System.getProperty("deepvm.root", "..");
    Screen screen =
        Screen.run(
            "plan",
            "--job=" + root + "/examples/resnet50.yaml",
            "--place=aws/us-east-1",
            "--gpu=T4",
            "--max-price-per-hour=10",
            "--deadline=40h",
            "--confidence=0.5",
            "--runs=10");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.err())
        .containsPattern(
            "as measured where nodes were counted\\. Always together: [0-9.]+ % miss the deadline;"
                + " each for itself: [0-9.]+ % miss the deadline \\(10 runs each\\)\\.");
  }

  private static Screen simulated(String... more) {
    List<String> args = new ArrayList<>(List.of("simulate", "--plan", plan.toString()));
    args.addAll(List.of(more));
    return Screen.run(args.toArray(String[]::new));
  }

  @Test
  void aPlanThatPlanWroteIsLivedThroughTheBundledTrace() throws IOException {
    Screen screen = simulated("--runs", "50", "--output", "json");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    JsonNode json = json(screen);
    assertThat(json.get("market").asText()).isEqualTo(MARKET);
    JsonNode policy = json.at("/policies/0");
    double mean = policy.at("/usd/mean").asDouble();
    assertThat(mean).isGreaterThan(json.get("meanBoundUsd").asDouble());
    assertThat(policy.at("/usd/p5").asDouble()).isLessThanOrEqualTo(mean);
    assertThat(policy.at("/usd/p95").asDouble()).isGreaterThanOrEqualTo(mean);
    double bill = 0;
    for (JsonNode part : policy.get("billUsd")) {
      bill += part.asDouble();
    }
    assertThat(bill).isCloseTo(mean, within(1e-6));
  }

  @Test
  void theSameSeedGivesTheSameBytesForAnyNumberOfThreadsAndAnyLocale() {
    String one = simulated("--runs", "40", "--threads", "1", "--output", "json").out();
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      assertThat(simulated("--runs", "40", "--threads", "2", "--output", "json").out())
          .isEqualTo(one);
    } finally {
      Locale.setDefault(before);
    }
    assertThat(simulated("--runs", "40", "--seed", "2", "--output", "json").out())
        .isNotEqualTo(one);
  }

  @Test
  void fivePoliciesAreRankedThoseInTimeFirstWithASentenceEach() {
    String[] options = {"--runs", "8", "--policy", "all"};
    JsonNode json = json(simulated(with(options, "--output", "json")));
    assertThat(names(json))
        .containsExactlyInAnyOrder("on-demand", "spot", "in-place", "performance-first", "elastic");
    List<Double> missed = new ArrayList<>();
    json.get("policies").forEach(policy -> missed.add(policy.get("missed").asDouble()));
    assertThat(missed).isSorted();
    String table = simulated(options).out();
    for (Policies.Entry entry : Policies.usual()) {
      assertThat(table).containsPattern(entry.name() + " +" + Pattern.quote(entry.description()));
    }
  }

  @Test
  void thePapersPoliciesHaveAGroupOfTheirOwnAndSayWhichDeadlineTheyKeep() throws IOException {
    Path open = folder.resolve("open.json");
    Files.writeString(
        open,
        Files.readString(plan)
            .replaceAll("\"deadlineSeconds\" *: *[0-9.]+", "\"deadlineSeconds\": null"));
    String[] options = {"simulate", "--plan", open.toString(), "--runs", "2"};
    JsonNode json = json(Screen.run(with(options, "--policy", "all-papers", "--output", "json")));
    assertThat(names(json))
        .hasSize(Policies.all().size())
        .contains("elastic", "cost-first", "UP", "UP(S)", "SkyNomad", "clairvoyant");
    for (JsonNode policy : json.get("policies")) {
      boolean gang = policy.get("policy").asText().matches("greedy|UP.*|SkyNomad.*|clairvoyant");
      assertThat(policy.get("assumedDeadlineSeconds").isNumber()).isEqualTo(gang);
    }
    assertThat(Screen.run(with(options, "--policy", "greedy")).out())
        .containsPattern("No deadline was given; greedy keeps 3 x the undisturbed time: [0-9]");
    assertThat(Screen.run(with(options, "--policy", "elastic")).out())
        .doesNotContain("No deadline was given");
    assertThat(simulated("--runs", "2", "--policy", "greedy").out())
        .doesNotContain("No deadline was given");
  }

  @Test
  void theHelpNamesEveryPolicyAndSaysWhatTheUsualOnesDo() {
    String help = Screen.run("simulate", "--help").out().replaceAll("\\s+", " ");
    for (Policies.Entry entry : Policies.usual()) {
      assertThat(help).contains(entry.name() + ": " + entry.description());
    }
    for (Policies.Entry entry : Policies.all()) {
      assertThat(help).contains(entry.name());
    }
  }

  private static List<String> names(JsonNode json) {
    List<String> names = new ArrayList<>();
    json.get("policies").forEach(policy -> names.add(policy.get("policy").asText()));
    return names;
  }

  @Test
  void runsThatAreNotDoneAreStatedApartAndTheHorizonIsNamed() throws IOException {
    JsonNode stated = json(simulated("--runs", "1", "--output", "json"));
    double horizon = stated.get("horizonSeconds").asDouble();
    // Every worker is taken for good after two thirds of the record.
    Path ending = traceOf("ending.csv", tick -> tick < 840 ? 16 : 0);
    String[] options = {"--trace", ending.toString(), "--draw", "starts", "--runs", "30"};
    JsonNode json = json(simulated(with(options, "--output", "json")));
    JsonNode policy = json.at("/policies/0");
    int unfinished = policy.get("unfinished").asInt();
    assertThat(unfinished).isBetween(1, 29);
    assertThat(policy.get("finished").asInt()).isEqualTo(30 - unfinished);
    assertThat(policy.get("unfinishedShare").asDouble()).isEqualTo(unfinished / 30.0);
    assertThat(json.get("horizonSeconds").asDouble()).isEqualTo(horizon);
    assertThat(policy.at("/seconds/p95").asDouble()).isLessThan(horizon);
    double bill = 0;
    for (JsonNode part : policy.get("billUsd")) {
      bill += part.asDouble();
    }
    assertThat(bill).isCloseTo(policy.at("/usd/mean").asDouble(), within(1e-6));
    assertThat(policy.at("/unfinishedUsd/mean").asDouble()).isPositive();
    String table = simulated(options).out();
    assertThat(table)
        .contains("not done within ", "Of the %d runs that were done:".formatted(30 - unfinished))
        .contains("spent on average by then");
    assertThat(simulated(with(options, "--policy", "all")).out())
        .contains("NOT DONE", "Costs, times and losses are of the runs that were done within ");
  }

  @Test
  void whenNoRunIsDoneNoFigureIsInvented() throws IOException {
    Path none = traceOf("none.csv", tick -> 0);
    String[] options = {"--trace", none.toString(), "--draw", "starts", "--runs", "5"};
    Screen screen = simulated(options);
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .contains("none of 5 runs was done within ", "5 runs not done within ")
        .doesNotContain("NaN", "Infinity");
    JsonNode policy = json(simulated(with(options, "--output", "json"))).at("/policies/0");
    assertThat(policy.at("/usd/mean").isNull()).isTrue();
    assertThat(policy.at("/seconds/p95").isNull()).isTrue();
    assertThat(policy.get("missed").asDouble()).isEqualTo(1);
    assertThat(simulated(with(options, "--output", "csv")).out())
        .contains("in-place,5,,,,,,,,1.0,5,")
        .doesNotContain("NaN", "Infinity");
    assertThat(simulated(with(options, "--interval", "best")).out()).doesNotContain("Infinity");
    Path timeline = folder.resolve("never.html");
    assertThat(simulated(with(options, "--timeline", timeline.toString())).exitCode()).isZero();
    assertThat(Files.readString(timeline)).contains("not done within");
  }

  /** Writes the bundled market with other counts of the plan's zone, and returns the file. */
  private static Path traceOf(String name, IntUnaryOperator counts) throws IOException {
    Path file = folder.resolve(name);
    assertThat(Screen.run("market", "convert", MARKET, "--out", file.toString()).exitCode())
        .isZero();
    List<String> lines = new ArrayList<>();
    int tick = 0;
    for (String line : Files.readAllLines(file)) {
      if (line.contains("/us-central1-a,")) {
        String[] cells = line.split(",", -1);
        cells[3] = String.valueOf(counts.applyAsInt(tick++));
        lines.add(String.join(",", cells));
      } else if (!line.contains(",a3-highgpu-1g,")) {
        lines.add(line);
      }
    }
    Files.write(file, lines);
    return file;
  }

  private static String[] with(String[] options, String... more) {
    return Stream.concat(Arrays.stream(options), Arrays.stream(more)).toArray(String[]::new);
  }

  @Test
  void thePicturesAreDrawn() throws IOException {
    Path timeline = folder.resolve("run.svg");
    Path chart = folder.resolve("spread.html");
    Screen screen =
        simulated("--runs", "10", "--timeline", timeline.toString(), "--chart", chart.toString());
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(Files.readString(timeline)).startsWith("<").contains("us-central1-a");
    assertThat(Files.readString(chart)).contains("<svg");
    assertThat(screen.err()).contains("Chart written to " + timeline);
  }

  @Test
  void theBestIntervalIsFoundAndItsCurveShown() {
    Screen screen = simulated("--runs", "10", "--interval", "best");
    assertThat(screen.out()).contains("CHECKPOINT EVERY", "<- best");
    assertThat(simulated("--runs", "10", "--interval", "young-daly").out())
        .contains("checkpoints by Young and Daly's rule");
    assertThat(simulated("--runs", "10", "--interval", "young").out())
        .contains("checkpoints by Young's rule");
  }

  @Test
  void anOnDemandPlanIsLivedWithoutRevocations() throws IOException {
    Path onDemand = folder.resolve("on-demand.json");
    Screen planned =
        Screen.run(
            "plan",
            "--place",
            "lambda",
            "--market",
            "on-demand",
            "--max-price-per-hour",
            "12",
            "--job",
            Path.of(System.getProperty("deepvm.root", ".."), "examples", "resnet50.yaml")
                .toString(),
            "--architecture",
            "single-anchor",
            "--output",
            "json");
    Files.writeString(onDemand, planned.out());
    Screen screen =
        Screen.run("simulate", "--plan", onDemand.toString(), "--runs", "10", "--output", "json");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    JsonNode best = new ObjectMapper().readTree(screen.out()).at("/policies/0");
    assertThat(best.at("/revocations/mean").asDouble()).as(screen.out()).isZero();
    assertThat(screen.out() + screen.err())
        .contains("All nodes of the plan are on-demand")
        .doesNotContain("borrowed from");
  }

  @Test
  void aTypeWithoutATraceIsDrawnFromAModelAndThatIsSaid() throws IOException {
    Path other = folder.resolve("other.json");
    Files.writeString(other, Files.readString(plan).replace("a3-highgpu-1g", "a3-megagpu-8g"));
    Screen screen = Screen.run("simulate", "--plan", other.toString(), "--runs", "55");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out().lines().findFirst().orElseThrow())
        .contains("Borrowed losses: no trace of a3-megagpu-8g", "a3-highgpu-1g in 11 zones");
    JsonNode json =
        json(
            Screen.run("simulate", "--plan", other.toString(), "--runs", "55", "--output", "json"));
    assertThat(json.at("/borrowedLosses/lenders")).hasSize(11);
    JsonNode policy = json.at("/policies/0");
    double missed = policy.get("missed").asDouble();
    double wilson = 1.96 * Math.sqrt(missed * (1 - missed) / 55);
    // The zones differ much: the range is far wider than luck in 55 runs alone would make it.
    assertThat(
            policy.at("/missedInterval/1").asDouble() - policy.at("/missedInterval/0").asDouble())
        .isGreaterThan(4 * wilson);
  }

  @Test
  void aPlanByRiskSaysInItsHeadlineThatLossesAreBorrowed() {
    Screen screen =
        Screen.run(
            "plan",
            "--max-price-per-hour",
            "3",
            "--job",
            Path.of(System.getProperty("deepvm.root", ".."), "examples", "resnet50.yaml")
                .toString(),
            "--place",
            "aws/us-east-1/*",
            "--deadline",
            "40h",
            "--confidence",
            "0.8",
            "--runs",
            "60");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out().lines().findFirst().orElseThrow())
        .contains("chance of missing the deadline (95 % sure: ", "Borrowed losses: no trace of");
    assertThat(screen.err().lines().filter(line -> line.startsWith("No trace of"))).hasSize(1);
    assertThat(screen.err()).contains("Assumed without notice: 5 % of revocations on aws");
  }

  @Test
  void nodesOfAOneNodeTraceAreLostTogetherAsFarAsIsAskedFor() throws IOException {
    // The plan's zone as a record of one node, which is there for half of the time.
    Path single = folder.resolve("single.csv");
    List<String> lines = new ArrayList<>();
    for (String line : Files.readAllLines(traceOf("half.csv", tick -> tick / 7 % 2))) {
      lines.add(line.replace(",16,", ",1,"));
    }
    Files.write(single, lines);
    String[] options = {"--trace", single.toString(), "--runs", "40", "--output", "json"};
    JsonNode together = json(simulated(with(options, "--dependence", "together")));
    JsonNode apart = json(simulated(with(options, "--dependence", "independent")));
    JsonNode measured = json(simulated(options));
    assertThat(together.at("/policies/0/revocations/mean").asDouble())
        .isNotEqualTo(apart.at("/policies/0/revocations/mean").asDouble());
    // Work is lost when all nodes go at once, and hardly ever when each goes for itself.
    double lostTogether = together.at("/policies/0/nodeSeconds/redone").asDouble();
    double lostAsMeasured = measured.at("/policies/0/nodeSeconds/redone").asDouble();
    assertThat(apart.at("/policies/0/nodeSeconds/redone").asDouble()).isLessThan(lostAsMeasured);
    assertThat(lostAsMeasured).isLessThan(lostTogether);
    assertThat(measured.at("/dependence/runs").asInt()).isEqualTo(40);
    assertThat(measured.at("/dependence/missedTogether").asDouble())
        .isEqualTo(together.at("/policies/0/missed").asDouble());
    assertThat(simulated("--trace", single.toString(), "--runs", "40").out())
        .contains("Nodes of a zone come and go together as measured", "Always together:");
  }

  @Test
  void lossesWithoutNoticeAreStatedAndCostWork() {
    String[] options = {"--runs", "40", "--interval", "2h", "--output", "json"};
    JsonNode usual = json(simulated(options));
    assertThat(usual.at("/withoutNotice/gcp/shareOfRevocations").asDouble()).isEqualTo(0.05);
    JsonNode never = json(simulated(with(options, "--unannounced", "0")));
    JsonNode always = json(simulated(with(options, "--unannounced", "1")));
    assertThat(always.at("/policies/0/nodeSeconds/redone").asDouble())
        .isGreaterThan(never.at("/policies/0/nodeSeconds/redone").asDouble());
    assertThat(simulated("--runs", "10").out())
        .contains(
            "Assumed without notice: 5 % of revocations on gcp, and a crash of each worker in"
                + " 6,335 h on average.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --runs 0                        | is not a whole number from 1
          --place mars                    | has nothing in 'mars'
          --policy elastik                | There is no policy 'elastik'
          --policy all-paper              | Maybe you meant 'all-papers'
          --rank 77                       | none of rank 77
          --hours -3                      | must be above 0
          --trace aws-v100-2023-02       | the market has no such pool
          --trace nowhere                | There is no trace
          --draw dice                     | There is no way to draw 'dice'
          --timeline run.txt              | run.txt
          --interval often                | often
          --unannounced 1.5               | (1.5) must be from 0 to 1
          --dependence loose              | There is no dependence 'loose'
          """)
  void whatCannotBeIsRefused(String options, String said) {
    Screen screen = simulated(options.strip().split(" "));
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains(said);
    assertThat(screen.out()).isEmpty();
  }

  @Test
  void aDeadlineBeforeTheWorkCouldBeDoneIsInfeasible() {
    Screen screen = simulated("--deadline", "1h");
    assertThat(screen.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(screen.err())
        .contains("The deadline (1 h) is shorter than the undisturbed training", "Maybe raise");
    JsonNode json = json(simulated("--deadline", "1h", "--output", "json"));
    assertThat(json.get("policies").isEmpty()).isTrue();
    assertThat(json.at("/infeasible/reason").asText()).contains("The deadline (1 h)");
  }

  @Test
  void aDeadlineTheOriginalRefusesIsInfeasibleToo() {
    Screen screen =
        Screen.run(
            "simulate",
            "--compat",
            "artifact",
            "--trace",
            "aws-v100-2023-02",
            "--hours",
            "39.9",
            "--deadline",
            "1h");
    assertThat(screen.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(screen.err()).contains("39.9 h", "Maybe raise --deadline");
  }

  @Test
  void aPlanThatWasCutShortIsRefused() throws IOException {
    Path cut = folder.resolve("cut.json");
    String whole = Files.readString(plan);
    Files.writeString(cut, whole.substring(0, whole.length() / 2));
    Screen screen = Screen.run("simulate", "--plan", cut.toString());
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains("is not JSON");
    Files.writeString(cut, whole.replace("\"speeds\"", "\"spades\""));
    assertThat(Screen.run("simulate", "--plan", cut.toString()).err())
        .contains("does not have one of 'speeds' per worker");
  }

  @Test
  void aConfidenceChangesThePlanWithTheTraceAndSaysWhy() throws IOException {
    Screen calm = confident(MARKET, "3h");
    assertThat(calm.exitCode()).as(calm.err()).isEqualTo(Exit.DONE);
    assertThat(calm.out()).contains("Of ", "plans tried", "One more a3-highgpu-1g on demand");
    // The same market after the plan's zone has gone flaky: every other tick it has nothing.
    Path flaky = folder.resolve("flaky.csv");
    String zone = best(calm);
    assertThat(Screen.run("market", "convert", MARKET, "--out", flaky.toString()).exitCode())
        .isZero();
    List<String> lines = new ArrayList<>();
    int n = 0;
    for (String line : Files.readAllLines(flaky)) {
      if (line.contains("/" + zone + ",") && n++ % 2 == 0) {
        String[] cells = line.split(",", -1);
        cells[3] = "0";
        lines.add(String.join(",", cells));
      } else {
        lines.add(line);
      }
    }
    Files.write(flaky, lines);
    Screen changed = confident(flaky.toString(), "3h");
    assertThat(changed.exitCode()).as(changed.err()).isEqualTo(Exit.DONE);
    assertThat(best(changed)).isNotEqualTo(zone);
  }

  private static Screen confident(String market, String deadline) {
    return Screen.run(
        "plan",
        "--max-price-per-hour",
        "30",
        "--job",
        Path.of(System.getProperty("deepvm.root", ".."), "examples", "llama-7b-finetune.yaml")
            .toString(),
        "--deadline",
        deadline,
        "--confidence",
        "0.9",
        "--trace",
        market,
        "--runs",
        "60");
  }

  /** Returns the zone of the plan in the first line. */
  private static String best(Screen screen) {
    String first = screen.out().lines().findFirst().orElseThrow();
    String place = first.substring(first.indexOf(" in ") + 4, first.indexOf(": about"));
    return place.substring(place.lastIndexOf('/') + 1);
  }

  private static JsonNode json(Screen screen) {
    try {
      return new ObjectMapper().readTree(screen.out());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"table", "json", "csv"})
  void partsTogetherGiveTheBytesOfOneMachine(String format) {
    String[] options = {"--runs", "41", "--policy", "all", "--output", format};
    String whole = simulated(options).out();
    List<String> merge = new ArrayList<>(List.of("--merge"));
    for (int part = 3; part >= 1; part--) {
      Path file = folder.resolve(format + part + ".bin");
      merge.add(file.toString());
      String share = part + "/3";
      Screen screen =
          simulated(with(options, "--part", share, "--out", file.toString(), "--threads", "2"));
      assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
      assertThat(screen.out()).isEmpty();
    }
    assertThat(simulated(with(options, merge.toArray(new String[0]))).out()).isEqualTo(whole);
    Screen missing = simulated(with(options, "--merge", merge.get(1), merge.get(2)));
    assertThat(missing.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(missing.err()).contains("of the 41 runs are in none of the files");
    Screen twice = simulated(with(options, "--merge", merge.get(1), merge.get(1)));
    assertThat(twice.err()).contains("has runs that another file has, too");
    Screen other =
        simulated("--runs", "41", "--policy", "all", "--seed", "9", "--merge", merge.get(1));
    assertThat(other.err()).contains("was made with other options or inputs");
    Screen damaged = simulated(with(options, "--merge", plan.toString()));
    assertThat(damaged.err()).contains("cannot be read as a part");
  }
}
