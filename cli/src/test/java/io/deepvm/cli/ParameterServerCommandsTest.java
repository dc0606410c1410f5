package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.cli.console.Exit;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The spotDNN side of plan, predict and reproduce. */
class ParameterServerCommandsTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("deepvm.root"), "examples");
  private static final String JOB = EXAMPLES.resolve("resnet110.yaml").toString();

  @TempDir Path folder;

  @Test
  void thePapersRulesGiveThePapersPlan() throws IOException {
    JsonNode plan =
        json(plan("--target-loss", "0.8", "--deadline", "2400s", "--compat", "paper"))
            .at("/plans/0");
    assertThat(plan.at("/architecture").asText()).isEqualTo("parameter-server");
    assertThat(plan.at("/nodes/0/instanceType").asText()).isEqualTo("p3.2xlarge");
    assertThat(plan.at("/nodes/0/count").asInt()).isEqualTo(2);
    assertThat(plan.at("/nodes/1/instanceType").asText()).isEqualTo("g3.8xlarge");
    assertThat(plan.at("/nodes/1/count").asInt()).isEqualTo(4);
    assertThat(plan.at("/nodes/2/role").asText()).isEqualTo("server");
    assertThat(plan.at("/predicted/usd").asDouble()).isBetween(2.965, 2.975);
  }

  @Test
  void onTodaysMarketTheExactSearchSaysWhatTheWindowWouldCost() throws IOException {
    JsonNode plan =
        json(plan("--target-loss", "0.8", "--deadline", "2400s", "--place", "aws/us-east-1"))
            .at("/plans/0");
    assertThat(plan.at("/predicted/seconds").asDouble()).isLessThanOrEqualTo(2400);
    assertThat(plan.at("/why").toString()).contains("spotDNN's sliding window");
  }

  @Test
  void aCeilingPerHourThatIsTooLowNamesTheSmallestThatWorks() throws IOException {
    Screen poor = inTheEast("0.2");
    assertThat(poor.exitCode()).isEqualTo(Exit.INFEASIBLE);
    JsonNode infeasible = new ObjectMapper().readTree(poor.out()).at("/infeasible");
    String enough = infeasible.at("/smallestUsdPerHour").asText();
    assertThat(infeasible.at("/relax/0").asText()).contains("from $0.20 to $" + enough);
    JsonNode plan = json(inTheEast(enough)).at("/plans/0");
    assertThat(plan.at("/usdPerHour").asText()).isEqualTo(enough);
    Screen less = inTheEast(new BigDecimal(enough).subtract(new BigDecimal("0.000001")).toString());
    assertThat(less.exitCode()).isEqualTo(Exit.INFEASIBLE);
  }

  private static Screen inTheEast(String ceiling) {
    return plan(
        "--target-loss", "0.8", "--place", "aws/us-east-1", "--max-price-per-hour", ceiling);
  }

  @Test
  void aLossThatIsNeverReachedIsInfeasibleAndSaysSo() {
    Screen screen = plan("--target-loss", "0.5", "--deadline", "2400s", "--place", "aws/us-east-1");
    assertThat(screen.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(screen.err()).contains("0.5");
  }

  @Test
  void aDeadlineShorterThanStartingUpIsInfeasible() throws IOException {
    Screen screen = plan("--target-loss", "0.8", "--deadline", "90s", "--place", "aws/us-east-1");
    assertThat(screen.exitCode()).isEqualTo(Exit.INFEASIBLE);
    assertThat(new ObjectMapper().readTree(screen.out()).at("/infeasible/reason").asText())
        .contains("1 min 30 s");
    assertThat(screen.err()).contains("Maybe raise --deadline above 2 min");
  }

  @Test
  void aConfidenceNeedsTheMeasurementsBehindTheCurve() {
    Screen screen =
        plan(
            "--target-loss",
            "0.8",
            "--deadline",
            "2400s",
            "--confidence",
            "0.95",
            "--place",
            "aws/us-east-1");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains("lossMeasurements");
  }

  @Test
  void moreConfidenceNeverCostsLess() throws IOException {
    StringBuilder log = new StringBuilder("iterations,batch,convergence,workers,loss\n");
    for (int run = 0; run < 3; run++) {
      int workers = 2 + 3 * run;
      int batch = 1024 * (run + 1);
      for (int i = 1; i <= 30; i++) {
        double iterations = 400.0 * i;
        double noise = 0.01 * Math.sin(7.0 * i + run);
        double loss = (-0.2 * batch + 2507.6) * Math.sqrt(workers) / (iterations + 876.5) + 0.5;
        log.append(
            String.format(
                Locale.ROOT, "%.1f,%d,0,%d,%.5f%n", iterations, batch, workers, loss + noise));
      }
    }
    Files.writeString(folder.resolve("loss.csv"), log);
    Path job = folder.resolve("job.yaml");
    Files.writeString(
        job,
        Files.readString(Path.of(JOB)).replaceAll("  loss: .*", "  lossMeasurements: loss.csv"));
    double even = cost(job, "0.5");
    double sure = cost(job, "0.99");
    assertThat(sure).isGreaterThanOrEqualTo(even);
  }

  @Test
  void afterARevocationThePapersRulesAddWhatThePaperAdds() throws IOException {
    JsonNode plan =
        json(replan("0.9", "--deadline", "810s", "--quotas", tenOfEachButTheRevoked()))
            .at("/plans/0");
    assertThat(plan.at("/nodes")).hasSize(1);
    assertThat(plan.at("/nodes/0/instanceType").asText()).isEqualTo("p3.2xlarge");
    assertThat(plan.at("/nodes/0/count").asInt()).isEqualTo(3);
    assertThat(plan.at("/predicted/seconds").asDouble()).isBetween(569.48, 569.50);
    assertThat(plan.at("/predicted/usd").asDouble()).isBetween(1.1174, 1.1175);
    assertThat(plan.at("/why/0").asText())
        .contains("3 x g3.16xlarge", "1 x m5.xlarge")
        .doesNotContain("Nothing needs");
  }

  @Test
  void whereWhatRunsIsCheapestNothingIsRented() {
    Screen screen =
        Screen.run(
            "plan",
            "--job",
            JOB,
            "--architecture",
            "parameter-server",
            "--compat",
            "paper",
            "--running",
            "p3.2xlarge=2",
            "--current-loss",
            "0.801",
            "--deadline",
            "810s");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .startsWith("Nothing to rent, ")
        .contains("SERVERS", "2 x p3.2xlarge, over 1 x m5.xlarge", "Nothing needs to be rented.");
  }

  @Test
  void whereWhatRunsSufficesButHelpIsCheaperBothAreSaid() throws IOException {
    JsonNode plan = json(replan("0.801", "--deadline", "810s")).at("/plans/0");
    assertThat(plan.at("/nodes/0/instanceType").asText()).isEqualTo("p3.2xlarge");
    assertThat(plan.at("/why/0").asText()).contains("Nothing needs to be rented", "cheaper");
  }

  @Test
  void ourOwnReplanningRentsNoServerAndCountsTheRevocation() throws IOException {
    String[] options = {
      "--target-loss", "0.8", "--current-loss", "0.9", "--deadline", "1500s",
      "--place", "aws/us-east-1/use1-az1", "--running", "g4dn.4xlarge=3", "--running", "c5.xlarge=1"
    };
    JsonNode plan = json(plan(options)).at("/plans/0");
    assertThat(plan.at("/nodes")).allMatch(node -> node.at("/role").asText().equals("worker"));
    assertThat(plan.at("/predicted/seconds").asDouble()).isBetween(30.0, 1500.0);
    assertThat(plan.at("/why").toString())
        .contains("3 x g4dn.4xlarge, over 1 x c5.xlarge", "the 30 s lost to a revocation");
  }

  @Test
  void whatRunsMustBeKnownAndStandInOnePlace() {
    Screen misspelt =
        plan(
            "--current-loss",
            "0.9",
            "--running",
            "g3.16xlrge=3",
            "--deadline",
            "810s",
            "--compat",
            "paper");
    assertThat(misspelt.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(misspelt.err()).contains("g3.16xlrge", "Maybe you meant 'g3.16xlarge'.");
    Screen anywhere =
        plan("--current-loss", "0.9", "--running", "g4dn.4xlarge=3", "--deadline", "810s");
    assertThat(anywhere.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(anywhere.err()).contains("--place");
  }

  @Test
  void aReplanningNeedsALossAboveTheTarget() {
    for (String loss : new String[] {"0.8", "0.7", "-1", "NaN"}) {
      Screen screen = replan(loss, "--deadline", "810s");
      assertThat(screen.exitCode()).as(loss).isEqualTo(Exit.BAD_INPUT);
      assertThat(screen.err()).contains("Maybe");
    }
    Screen unstated = plan("--running", "g3.16xlarge=3", "--deadline", "810s", "--compat", "paper");
    assertThat(unstated.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(unstated.err()).contains("--current-loss");
  }

  @Test
  void aGivenClusterIsPredictedWithItsBottleneck() throws IOException {
    Screen screen =
        Screen.run(
            "predict",
            "--job",
            JOB,
            "--architecture",
            "parameter-server",
            "--cluster",
            EXAMPLES.resolve("resnet110-cluster.yaml").toString());
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.out()).contains("GPU compute", "5715", "time to a loss of 0.8", "gamma3");
  }

  @Test
  void theStudyStandsBesideOurs() {
    Screen screen = Screen.run("reproduce", "spotdnn", "--output", "csv");
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.out())
        .startsWith("study,case,published,ours,relative_difference,note")
        .contains("spotdnn,Table I spotDNN seconds,2549.02,2549.0");
  }

  private double cost(Path job, String confidence) throws IOException {
    Screen screen =
        Screen.run(
            "plan",
            "--job",
            job.toString(),
            "--architecture",
            "parameter-server",
            "--deadline",
            "3000s",
            "--confidence",
            confidence,
            "--place",
            "aws/us-east-1",
            "--output",
            "json");
    return json(screen).at("/plans/0/predicted/usd").asDouble();
  }

  /** The paper's Fig. 9: three workers are left, and the revoked type is not rented again. */
  private String tenOfEachButTheRevoked() throws IOException {
    StringBuilder quotas = new StringBuilder("quotas:\n");
    for (String type :
        new String[] {"p3.2xlarge", "g4dn.4xlarge", "g3.8xlarge", "g3.16xlarge", "p2.8xlarge"}) {
      quotas.append(
          "- {families: [%s], market: spot, nodes: %d}%n"
              .formatted(type, type.equals("g3.8xlarge") ? 0 : 10));
    }
    return Files.writeString(folder.resolve("quotas.yaml"), quotas).toString();
  }

  private static Screen replan(String currentLoss, String... options) {
    return plan(
        Stream.concat(
                Stream.of(
                    "--compat",
                    "paper",
                    "--running",
                    "g3.16xlarge=3",
                    "--target-loss",
                    "0.8",
                    "--current-loss",
                    currentLoss),
                Stream.of(options))
            .toArray(String[]::new));
  }

  private static Screen plan(String... options) {
    return Screen.run(
        Stream.concat(
                Stream.of(
                    "plan", "--job", JOB, "--architecture", "parameter-server", "--output", "json"),
                Stream.of(options))
            .toArray(String[]::new));
  }

  private static JsonNode json(Screen screen) throws IOException {
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    return new ObjectMapper().readTree(screen.out());
  }
}
