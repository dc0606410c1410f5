package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.cli.console.Exit;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.RunFile;
import io.deepvm.workload.averaging.TrainedModel;
import io.deepvm.workload.parameterserver.LossCurve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FitCommandTest {

  private static final Path EXAMPLES = Path.of(System.getProperty("deepvm.root", ".."), "examples");

  @TempDir Path folder;

  @Test
  void aScalingCurveIsFoundAgainFromItsOwnPoints() throws IOException {
    // c / (1 + exp(-a (n - b))) with a = 0.2, b = 10, c = 5, and its tangent before b
    Screen screen =
        run(
            "nodes,speedup\n4,1\n8,2\n12,2.993438\n16,3.842624\n24,4.713379\n32,4.939360\n",
            "scaling",
            "--at",
            "16",
            "--at",
            "100",
            "--output",
            "json");
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    JsonNode fit = new ObjectMapper().readTree(screen.out());
    assertThat(fit.at("/parameters/0/value").asDouble()).isBetween(0.199, 0.201);
    assertThat(fit.at("/parameters/1/value").asDouble()).isBetween(9.95, 10.05);
    assertThat(fit.at("/predictions/0/value").asDouble()).isBetween(3.84, 3.85);
    assertThat(fit.at("/predictions/1/timesBeyondMeasured").asDouble()).isGreaterThan(3);
  }

  @Test
  void aPredictionAtNoNodesOrFewerIsRefused() throws IOException {
    for (String at : List.of("-5", "0")) {
      Screen screen = run("nodes,speedup\n2,1.8\n4,3.1\n8,5.2\n16,7.1\n", "scaling", "--at", at);
      assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
      assertThat(screen.err()).contains("'" + at + "' is not one number above 0");
    }
  }

  @Test
  void aPredictionOffAnInputThatWasAlwaysZeroHasNoFactor() throws IOException {
    StringBuilder log = new StringBuilder("iterations,batch,convergence,workers,loss\n");
    for (int i = 1; i <= 30; i++) {
      double loss = (2300 + 0.2 * i) * Math.sqrt(2 + i % 3) / (400.0 * i + 876.5) + 0.5;
      log.append(
          String.format(
              Locale.ROOT, "%d,%d,0,%d,%.5f%n", 400 * i, 512 * (1 + i % 2), 2 + i % 3, loss));
    }
    Screen screen = run(log.toString(), "loss", "--at", "12000,1024,0.93,4");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.out()).contains("unlike what was measured").doesNotContain("Infinity");
  }

  @Test
  void csvHoldsThePredictionsToo() throws IOException {
    Screen screen =
        run(
            "nodes,speedup\n2,1.8\n4,3.1\n8,5.2\n16,7.1\n",
            "scaling",
            "--at",
            "12",
            "--output",
            "csv");
    assertThat(screen.out().lines().toList())
        .contains("parameter,value,standard_error,low,high")
        .anyMatch(line -> line.matches("at 12,[\\d.]+,,[^,]+,[^,]+"));
  }

  @Test
  void whatToWriteIntoTheJobFileIsPrinted() throws IOException {
    Screen screen = run("nodes,speedup\n2,1.8\n4,3.1\n8,5.2\n16,7.1\n", "scaling");
    assertThat(screen.out()).contains("scaling.measured.TYPE", "{a: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--convergence"})
  void aFittedLossPastedIntoAJobFileCanBePlanned(String option) throws IOException {
    StringBuilder csv = new StringBuilder("iterations,batch,convergence,workers,loss\n");
    double[][] clusters = {{1024, 0.40, 2}, {1243, 0.76, 4}, {1410, 0.87, 7}, {2048, 0.9, 8}};
    LossCurve truth = new LossCurve(876.5, -0.2, 2507.6, 0.5, option.isEmpty() ? null : 0.3);
    for (double[] cluster : clusters) {
      for (int iterations = 500; iterations <= 8000; iterations += 500) {
        double loss = truth.loss(cluster[0], cluster[1], (int) cluster[2], iterations);
        csv.append(
            "%d,%s,%s,%d,%s\n"
                .formatted(iterations, cluster[0], cluster[1], (int) cluster[2], loss));
      }
    }
    String[] options = option.isEmpty() ? new String[0] : new String[] {option};
    Screen fit = run(csv.toString(), "loss", options);
    assertThat(fit.exitCode()).as(fit.err()).isEqualTo(Exit.DONE);
    assertThat(fit.out().contains("gamma4")).isEqualTo(!option.isEmpty());
    List<String> lines = fit.out().lines().toList();
    String pasted = lines.get(lines.size() - 1).strip();
    String job =
        Files.readString(
            Path.of(System.getProperty("deepvm.root", ".."), "examples/resnet110.yaml"));
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"), job.replaceAll("  loss: .*", "  loss: " + pasted));
    Screen plan =
        Screen.run(
            "plan",
            "--job",
            file.toString(),
            "--architecture",
            "parameter-server",
            "--target-loss",
            "0.8",
            "--deadline",
            "2400s");
    assertThat(plan.exitCode()).as(plan.err()).isEqualTo(Exit.DONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nodes,speedup\\n2,1.8\\n4,3\\n             | scaling | determine
          node,speedup\\n2,1.8\\n                    | scaling | 'nodes'
          nodes,speedup\\n2.5,1.8\\n4,3\\n8,5\\n      | scaling | whole number
          nodes,speedup\\n2,1.8\\n4\\n8,5\\n          | scaling | 1 fields in line 3
          nodes,speedup\\n2,NaN\\n4,3\\n8,5\\n        | scaling | NaN
          """)
  void measurementsThatCannotBeFittedAreRefused(String csv, String curve, String named)
      throws IOException {
    Screen screen = run(csv.replace("\\n", "\n"), curve);
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains(named).contains("Maybe");
    assertThat(screen.out()).isEmpty();
  }

  @Test
  void fittedAveragingCoefficientsGoIntoAJobFileAndChangeItsPredictions() throws IOException {
    Screen table = run(runs(), "averaging");
    assertThat(table.exitCode()).as(table.err()).isEqualTo(Exit.DONE);
    assertThat(table.out())
        .contains("COEFFICIENT", "20 runs, peers 3 to 6", "The runs show nothing of internet");
    List<String> lines = table.out().lines().toList();
    assertThat(lines.get(lines.size() - 2)).isEqualTo("For the job file, averaging.coefficients:");
    String key = "  coefficients: " + lines.get(lines.size() - 1).strip() + "\n";
    String job = Files.readString(EXAMPLES.resolve("roberta-xlm.yaml"));
    Path fitted =
        Files.writeString(
            folder.resolve("job.yaml"), job.replace("averaging:\n", "averaging:\n" + key));
    assertThat(samplesPerSecond(fitted))
        .isLessThan(0.9 * samplesPerSecond(EXAMPLES.resolve("roberta-xlm.yaml")));

    JsonNode json = new ObjectMapper().readTree(run(runs(), "averaging", "--output", "json").out());
    assertThat(json.at("/observations").asInt()).isEqualTo(20);
    assertThat(json.at("/errors/median").asDouble()).isLessThan(0.01);
    assertThat(json.at("/parameters").size()).isEqualTo(7);
    assertThat(json.at("/measured/0/high").asInt()).isEqualTo(6);
    assertThat(run(runs(), "averaging", "--output", "csv").out())
        .startsWith("parameter,value,standard_error\nsecondsPerMillionParameters,");
  }

  @Test
  void everyRunIsPredictedWithAnIntervalAndSoAreOthersThatWereNotFitted() throws IOException {
    String header = String.join(",", RunFile.COLUMNS) + "\n";
    String beyond = header + "big,2e9,400,32768,gcp/us-central1,12,150,8,700\n";
    Path others = Files.writeString(folder.resolve("others.csv"), beyond);
    String[] options = {"--at", others.toString(), "--output", "json"};
    JsonNode fit = new ObjectMapper().readTree(run(runs(), "averaging", options).out());
    assertThat(fit.at("/coverage").asDouble()).isGreaterThan(0.9);
    assertThat(fit.at("/coverageOfOthers").asDouble()).isIn(0.0, 1.0);
    assertThat(fit.at("/predictions")).hasSize(21);
    JsonNode first = fit.at("/predictions/0");
    assertThat(first.at("/fitted").asBoolean()).isTrue();
    assertThat(first.at("/value").asDouble())
        .isBetween(first.at("/low").asDouble(), first.at("/high").asDouble());
    JsonNode last = fit.at("/predictions/20");
    assertThat(last.at("/run").asText()).isEqualTo("big");
    assertThat(last.at("/fitted").asBoolean()).isFalse();
    assertThat(last.at("/timesBeyondMeasured").asDouble()).isGreaterThan(3);
    assertThat(run(runs(), "averaging", "--at", others.toString()).out())
        .contains("95 % FROM", "no, 3.57 times beyond", " of 20 runs that were fitted and ");
  }

  @Test
  void runsThatAreTooFewOrWrongAreRefused() throws IOException {
    String few = runs().lines().limit(5).collect(Collectors.joining("\n"));
    for (String bad : List.of(few, runs().replace("tensors", "tensor"), runs() + "x\n")) {
      Screen screen = run(bad, "averaging");
      assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
      assertThat(screen.err()).contains("Maybe");
      assertThat(screen.out()).isEmpty();
    }
  }

  /** Runs whose rounds take twice as long to average as the study's would. */
  private static String runs() {
    Coefficients slow = Coefficients.STUDY.withFitted(0.0256, 1.309, 0.2484, 1.7524, 1.47, 0.9, 5);
    StringBuilder csv = new StringBuilder(String.join(",", RunFile.COLUMNS) + "\n");
    int run = 0;
    for (TrainedModel model :
        List.of(new TrainedModel("a", 25e6, 160), new TrainedModel("b", 560e6, 394))) {
      for (String region : List.of("us-central1", "europe-west1")) {
        for (int count = 1; count < 6; count++) {
          run++;
          List<PeerGroup> groups =
              List.of(peers("us-central1", 3 - count % 3), peers(region, count));
          double measured =
              new AveragingModel(model, new CatalogNetwork(), Protocol.USUAL, slow)
                  .forecast(groups, 32768)
                  .samplesPerSecond();
          for (PeerGroup group : groups) {
            csv.append(
                String.format(
                    Locale.ROOT,
                    "%d,%f,%d,32768,%s,%d,150,8,%f\n",
                    run,
                    model.parameters(),
                    model.tensors(),
                    group.peer().place(),
                    group.count(),
                    measured));
          }
        }
      }
    }
    return csv.toString();
  }

  private static PeerGroup peers(String region, int count) {
    Place place = new Place("gcp", region, null);
    return new PeerGroup(new Peer("T4", place, 150, HostClass.SMALL, Money.ZERO, null), count);
  }

  private static double samplesPerSecond(Path job) throws IOException {
    Screen screen =
        Screen.run(
            "predict",
            "--job",
            job.toString(),
            "--architecture",
            "averaging",
            "--cluster",
            EXAMPLES.resolve("roberta-four-continents.yaml").toString(),
            "--output",
            "json");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    return new ObjectMapper().readTree(screen.out()).at("/predicted/samplesPerSecond").asDouble();
  }

  private Screen run(String csv, String curve, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("measured.csv"), csv);
    String[] args = new String[3 + options.length];
    args[0] = "fit";
    args[1] = curve;
    args[2] = file.toString();
    System.arraycopy(options, 0, args, 3, options.length);
    return Screen.run(args);
  }
}
