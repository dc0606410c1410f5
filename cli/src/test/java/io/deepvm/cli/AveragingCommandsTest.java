package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs plan, predict and reproduce on the example jobs that average. */
class AveragingCommandsTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("deepvm.root", ".."), "examples");

  private static final String XLM = EXAMPLES.resolve("roberta-xlm.yaml").toString();
  private static final String RESNET = EXAMPLES.resolve("resnet50.yaml").toString();

  @TempDir Path folder;

  @Test
  void theFourContinentsCaseNamesItsLinkItsTrafficAndTheWayOut() throws IOException {
    String cluster = EXAMPLES.resolve("roberta-four-continents.yaml").toString();
    Screen screen = predict(XLM, "averaging", cluster);
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .contains(
            "Held back by the slowest link, gcp/europe-west1 to gcp/australia-southeast1",
            "Traffic costs more than the machines",
            "Do not spread them. All in gcp/");
    JsonNode json = json(predict(XLM, "averaging", cluster, "--output", "json"));
    assertThat(json.at("/predicted/samplesPerSecond").asDouble()).isCloseTo(340.7, within(50.0));
    assertThat(json.at("/predicted/trafficShare").asDouble()).isBetween(95.0, 100.0);
    double parts =
        Stream.of("calculation", "waiting", "processing", "link")
            .mapToDouble(part -> json.at("/predicted/" + part + "Seconds").asDouble())
            .sum();
    assertThat(parts).isCloseTo(json.at("/predicted/roundSeconds").asDouble(), within(1e-6));
    assertThat(json.get("sensitivity").size()).isGreaterThan(3);
  }

  @Test
  void thePlanForThatJobStaysInOnePlaceAndSaysWhy() throws IOException {
    Screen screen =
        plan(
            XLM,
            "2",
            "--architecture",
            "averaging",
            "--place",
            "gcp/us-central1",
            "--place",
            "gcp/europe-west1",
            "--place",
            "gcp/asia-east1",
            "--place",
            "gcp/australia-southeast1",
            "--output",
            "json");
    JsonNode best = json(screen).at("/plans/0");
    assertThat(best.get("architecture").asText()).isEqualTo("averaging");
    assertThat(best.get("nodes").findValuesAsText("region").stream().distinct()).hasSize(1);
    assertThat(best.get("why").toString()).contains("Do not spread over continents.");
  }

  @Test
  void nodesAndTrafficAddUpToThePriceWhichIsWithinTheBudget() throws IOException {
    JsonNode json = json(plan(RESNET, "1", "--architecture", "averaging", "--output", "json"));
    assertThat(json.get("plans")).isNotEmpty();
    for (JsonNode plan : json.get("plans")) {
      BigDecimal sum = plan.at("/predicted/trafficUsdPerHour").decimalValue();
      for (JsonNode node : plan.get("nodes")) {
        sum =
            sum.add(
                node.get("usdPerHour").decimalValue().multiply(node.get("count").decimalValue()));
      }
      assertThat(plan.get("usdPerHour").decimalValue()).isEqualByComparingTo(sum);
      assertThat(sum).isLessThanOrEqualTo(BigDecimal.ONE);
      assertThat(plan.at("/predicted/samplesPerSecond").asDouble())
          .isEqualTo(plan.get("score").asDouble());
    }
  }

  @ParameterizedTest
  @CsvSource({"throughput, -1", "time, 1", "cost, 1"})
  void comparablePlansAreRankedTogether(String objective, int order) throws IOException {
    JsonNode json =
        json(plan(RESNET, "3", "--objective", objective, "--top", "9", "--output", "json"));
    List<String> architectures = json.get("plans").findValuesAsText("architecture");
    assertThat(architectures).contains("averaging", "tiering");
    double last = Double.NEGATIVE_INFINITY;
    for (JsonNode plan : json.get("plans")) {
      double score = order * plan.get("score").asDouble();
      assertThat(score).isGreaterThanOrEqualTo(last);
      last = score;
    }
  }

  @Test
  void plansThatCannotBeComparedAreNotRankedAndALineSaysWhy() throws IOException {
    Screen screen = plan(XLM, "3", "--output", "json");
    JsonNode json = json(screen);
    assertThat(json.get("plans").findValuesAsText("architecture")).doesNotContain("averaging");
    assertThat(json.get("notes").toString()).contains("Not ranked with averaging");
    assertThat(screen.err()).contains("work.samples");
    assertThat(plan(XLM, "3", "--objective", "flopp").err())
        .contains("Without averaging: Averaging is predicted in samples per second");
  }

  @ParameterizedTest
  @CsvSource({"throughput", "time", "cost"})
  void aMaxCostIsKeptWhateverTheObjective(String objective) throws IOException {
    String[] options = {
      "--architecture", "averaging", "--objective", objective, "--output", "json"
    };
    JsonNode free = json(plan(RESNET, "5", options)).at("/plans/0/predicted/usd");
    BigDecimal most = free.decimalValue().multiply(new BigDecimal("1.001"));
    String[] limited =
        Stream.concat(Stream.of(options), Stream.of("--max-cost", most.toPlainString()))
            .toArray(String[]::new);
    for (JsonNode plan : json(plan(RESNET, "5", limited)).at("/plans")) {
      assertThat(plan.at("/predicted/usd").decimalValue()).isLessThanOrEqualTo(most);
    }
  }

  @Test
  void aBudgetThatIsTooLowNamesTheSmallestThatWorks() throws IOException {
    String[] options = {"--architecture", "averaging", "--deadline", "30h", "--output", "json"};
    Screen poor = plan(RESNET, "0.01", options);
    assertThat(poor.exitCode()).as(poor.out()).isEqualTo(Exit.INFEASIBLE);
    JsonNode infeasible = new ObjectMapper().readTree(poor.out()).at("/infeasible");
    String enough = infeasible.at("/smallestUsdPerHour").asText();
    assertThat(infeasible.at("/relax/0").asText()).contains("from $0.01 to $" + enough);
    assertThat(json(plan(RESNET, enough, options)).at("/plans")).isNotEmpty();
  }

  @Test
  void aDeadlineIsKeptOrTheAnswerIsThree() throws IOException {
    JsonNode kept =
        json(
            plan(
                RESNET,
                "3",
                "--architecture",
                "averaging",
                "--objective",
                "cost",
                "--deadline",
                "10h",
                "--output",
                "json"));
    for (JsonNode plan : kept.get("plans")) {
      assertThat(plan.at("/predicted/seconds").asDouble()).isLessThanOrEqualTo(36_000);
    }
    Screen hasty = plan(RESNET, "3", "--architecture", "averaging", "--deadline", "1min");
    assertThat(hasty.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(hasty.err()).contains("Maybe raise --deadline");
  }

  @Test
  void ownMachinesArePredictedBesideRentedOnes() throws IOException {
    Path cluster =
        Files.writeString(
            folder.resolve("hybrid.yaml"),
            """
            - {name: desk, count: 1, place: on-premise/europe, samplesPerSecond: 293.4}
            - {type: g4dn.xlarge, count: 2, place: aws/us-east-1}
            """);
    Screen screen = predict(XLM, "averaging", cluster.toString());
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .contains("1 x desk in on-premise/europe", "2 x g4dn.xlarge spot")
        .contains("desk taken to lose nothing by accumulating", "Without on-premise/europe: ");
    String csv = predict(XLM, "averaging", cluster.toString(), "--output", "csv").out();
    assertThat(csv).startsWith("kind,name,value,unit\nfigure,samplesPerSecond,");
  }

  @Test
  void machinesAtHandThatCostNothingArePlannedWith() throws IOException {
    Path own =
        Files.writeString(
            folder.resolve("own.yaml"),
            "- {name: desk, count: 4, place: on-premise/europe, samplesPerSecond: 900}\n");
    JsonNode best =
        json(plan(
                RESNET,
                "0.05",
                "--architecture",
                "averaging",
                "--own",
                own.toString(),
                "--output",
                "json"))
            .at("/plans/0");
    assertThat(best.at("/nodes/0/instanceType").asText()).isEqualTo("desk");
    assertThat(best.at("/nodes/0/market").isNull()).isTrue();
    assertThat(best.get("usdPerHour").decimalValue()).isLessThanOrEqualTo(new BigDecimal("0.05"));
    Screen anchored = plan(RESNET, "3", "--own", own.toString());
    assertThat(anchored.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(anchored.err()).contains("own machines", "--architecture averaging");
  }

  @Test
  void thePredictionOfAPlannedClusterIsThePlans() throws IOException {
    JsonNode plan =
        json(plan(RESNET, "3", "--architecture", "tiering", "--output", "json")).at("/plans/0");
    StringBuilder cluster = new StringBuilder();
    for (JsonNode node : plan.get("nodes")) {
      JsonNode zone = node.get("zone");
      cluster.append(
          "- {type: %s, count: %d, place: %s/%s%s, market: %s}\n"
              .formatted(
                  node.get("instanceType").asText(),
                  node.get("count").asInt(),
                  node.get("cloud").asText(),
                  node.get("region").asText(),
                  zone.isNull() ? "" : "/" + zone.asText(),
                  node.get("market").asText()));
    }
    Path file = Files.writeString(folder.resolve("planned.yaml"), cluster);
    JsonNode predicted =
        json(predict(RESNET, "tiering", file.toString(), "--output", "json")).get("predicted");
    assertThat(predicted.get("flops").asDouble())
        .isCloseTo(plan.at("/predicted/flops").asDouble(), within(1e6));
    assertThat(predicted.get("usdPerHour").asDouble())
        .isCloseTo(plan.get("usdPerHour").asDouble(), within(1e-9));
    assertThat(predicted.get("seconds").asDouble())
        .isCloseTo(plan.at("/predicted/seconds").asDouble(), within(1e-3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name: x | is not a list of nodes",
        "- {type: g4dn.xlarge, count: 0, place: aws} | not a whole number from 1 up",
        "- {type: g4dn.xlrge, count: 1, place: aws/us-east-1} | 'g4dn.xlarge'",
        "- {type: g4dn.xlarge, count: 1, place: aws/us-esat-1} | 'aws/us-east-1'",
        "- {type: g4dn.xlarge, cuont: 1, place: aws} | 'count'",
        "- {type: g4dn.xlarge, count: 1, place: aws, market: sopt} | 'spot'",
        "- {type: g4dn.xlarge, count: 1, place: aws, usdPerHour: -1} | below $0",
        "- {name: desk, count: 1, place: europe, samplesPerSecond: 1} | not one place",
        "- {name: desk, count: 1, place: on-premise/europe} | how fast desk trains",
        "- {name: desk, gpu: T5, count: 1, place: on-premise/europe} | not a known GPU",
      })
  void aClusterFileThatIsWrongIsRefused(String yaml, String message) throws IOException {
    Path file = Files.writeString(folder.resolve("wrong.yaml"), yaml + "\n");
    Screen screen = predict(XLM, "averaging", file.toString());
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.out()).isEmpty();
    assertThat(screen.err()).contains(message, "\nMaybe");
  }

  @Test
  void everyExampleJobPlans() throws IOException {
    for (String job : List.of(XLM, RESNET, EXAMPLES.resolve("llama-7b-finetune.yaml").toString())) {
      Screen screen = plan(job, "20", "--architecture", "averaging", "--output", "csv");
      assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
      assertThat(screen.out()).contains("\n1,averaging,worker,");
    }
  }

  @Test
  void theStudyIsReproducedFromAFolderOfTables() {
    Path packed =
        EXAMPLES.resolveSibling("studies/src/main/resources/io/deepvm/studies/multicloud");
    Screen screen =
        Screen.run("reproduce", "multicloud", "--output", "csv", "--data", packed.toString());
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .startsWith("study,case,published,ours,relative_difference,note\nmulticloud,")
        .contains("data: the full tables in " + packed)
        .contains("error median, all stable runs", "one model left out at a time");
  }

  private static Screen plan(String job, String budget, String... more) {
    return Screen.run(
        Stream.concat(
                Stream.of("plan", "--job", job, "--max-price-per-hour", budget), Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void theDocumentedMachineOfOnesOwnIsKnownAndATypoIsSuggested() throws IOException {
    String docs =
        Files.readString(
            Path.of(System.getProperty("deepvm.root", ".."), "docs/reference/cluster-file.md"));
    String own =
        docs.lines().filter(line -> line.contains("gpu: RTX8000")).findFirst().orElseThrow();
    Path cluster = folder.resolve("cluster.yaml");
    Files.writeString(cluster, own + "\n- {type: g4dn.xlarge, count: 2, place: aws/us-east-1}\n");
    Screen screen = predict(XLM, "averaging", cluster.toString());
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    Files.writeString(cluster, own.replace("RTX8000", "RTX800"));
    Screen typo = predict(XLM, "averaging", cluster.toString());
    assertThat(typo.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(typo.err()).contains("gpu: RTX800, which is not a known GPU", "'RTX8000'");
  }

  private static Screen predict(String job, String architecture, String cluster, String... more) {
    return Screen.run(
        Stream.concat(
                Stream.of(
                    "predict", "--job", job, "--architecture", architecture, "--cluster", cluster),
                Stream.of(more))
            .toArray(String[]::new));
  }

  private static JsonNode json(Screen screen) throws IOException {
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    return new ObjectMapper().readTree(screen.out());
  }
}
