package io.deepvm.workload.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.workload.parameterserver.LossCurve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FitTest {

  @TempDir Path folder;

  private static JsonNode vectors() throws IOException {
    Path file =
        Path.of(System.getProperty("deepvm.root", "."), "../shared/vectors/spotdnn.json")
            .normalize();
    assumeTrue(Files.exists(file), "no shared reference data");
    return new ObjectMapper().readTree(file.toFile()).get("misc");
  }

  @Test
  void theCoefficientsOfTheVectorsAreRecovered() throws IOException {
    JsonNode misc = vectors();
    List<ContentionFit.Point> got = new ArrayList<>();
    for (JsonNode point : misc.get("alpha1_beta1_recovery").get("points")) {
      got.add(
          new ContentionFit.Point(
              point.get("n").asInt(), Bandwidth.ofMbps(8 * point.get("B_wk").asDouble())));
    }
    ContentionFit contention =
        ContentionFit.of(got, Bandwidth.ofMbps(1136), Bandwidth.ofMbps(9600));
    assertThat(contention.contention().alpha()).isCloseTo(0.8, within(1e-6));
    assertThat(contention.contention().beta()).isCloseTo(-1.92, within(1e-6));
    LossCurve simple = LossFit.withoutCoefficient(log(misc, "loss_noCC")).curve();
    assertThat(simple.gamma1()).isCloseTo(876.5, within(1e-3));
    assertThat(simple.gamma2()).isCloseTo(-0.2, within(1e-6));
    assertThat(simple.gamma3()).isCloseTo(2507.6, within(1e-3));
    assertThat(simple.floor()).isCloseTo(0.5, within(1e-6));
    LossFit full = LossFit.withCoefficient(log(misc, "loss_eq3"));
    assertThat(full.curve().gamma1()).isCloseTo(876.5, within(0.1));
    assertThat(full.curve().gamma2()).isCloseTo(-0.147, within(1e-3));
    assertThat(full.curve().gamma3()).isCloseTo(1843.6, within(5.0));
    assertThat(full.curve().gamma4()).isCloseTo(1, within(5e-3));
    assertThat(full.fit().warnings()).anyMatch(w -> w.contains("Three clusters"));
  }

  private static List<LossFit.Point> log(JsonNode misc, String loss) {
    List<LossFit.Point> points = new ArrayList<>();
    for (JsonNode cluster : misc.get("gamma_recovery").get("clusters")) {
      for (JsonNode point : cluster.get("points")) {
        points.add(
            new LossFit.Point(
                point.get("j").asDouble(),
                cluster.get("b_w").asDouble(),
                cluster.get("R").asDouble(),
                cluster.get("n").asInt(),
                point.get(loss).asDouble()));
      }
    }
    return points;
  }

  @Test
  void equalBatchesAreSaidNotToDetermineGamma2() {
    LossCurve truth = new LossCurve(876.5, -0.2, 2507.6, 0.5, null);
    List<LossFit.Point> points = new ArrayList<>();
    for (int j = 0; j < 5000; j += 100) {
      points.add(new LossFit.Point(j, 1024, 0.8, 4, truth.loss(1024, 0.8, 4, j)));
    }
    LossFit fit = LossFit.withoutCoefficient(points);
    assertThat(fit.fit().warnings()).anyMatch(w -> w.contains("gamma2"));
    assertThat(fit.curve().gamma2()).isZero();
    assertThat(fit.curve().amplitude(1024)).isCloseTo(truth.amplitude(1024), within(1e-2));
    assertThatThrownBy(() -> LossFit.withCoefficient(points))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("gamma4");
  }

  @Test
  void aPredictionBeyondTheMeasuredRangeSaysByHowMuchAndIsWider() {
    LossCurve truth = new LossCurve(876.5, -0.2, 2507.6, 0.5, null);
    LossFit fit = LossFit.withoutCoefficient(FitProperties.points(truth, new Random(3), 0.02));
    Estimate within = fit.fit().predict(6400, 1243, 0.76, 4);
    Estimate beyond = fit.fit().predict(128000, 1243, 0.76, 4);
    assertThat(within.extrapolated()).isFalse();
    assertThat(within.low()).isLessThan(within.value()).isGreaterThan(within.value() - 0.06);
    assertThat(beyond.beyond()).isCloseTo(10, within(1e-9));
    assertThat(beyond.high() - beyond.low()).isGreaterThan(within.high() - within.low());
  }

  @Test
  void tooFewMeasurementsAreRefused() {
    assertThatThrownBy(
            () -> ScalingFit.of(List.of(new ScalingFit.Point(1, 1), new ScalingFit.Point(2, 1.8))))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("2 numbers of nodes");
    assertThatThrownBy(
            () ->
                ContentionFit.of(
                    List.of(new ContentionFit.Point(2, Bandwidth.ofMbps(1136))),
                    Bandwidth.ofMbps(1136),
                    Bandwidth.ofMbps(9600)))
        .isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> LossFit.withoutCoefficient(List.of(new LossFit.Point(1, 1, 1, 1, 1))))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("1 measurements");
  }

  @Test
  void fourPointsForFourParametersGiveNoErrors() {
    LossCurve truth = new LossCurve(876.5, -0.2, 2507.6, 0.5, null);
    List<LossFit.Point> points = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      double batch = i < 2 ? 1024 : 2048;
      points.add(new LossFit.Point(1000 * i, batch, 0, 4, truth.loss(batch, 0, 4, 1000 * i)));
    }
    FittedCurve fit = LossFit.withoutCoefficient(points).fit();
    assertThat(fit.warnings()).anyMatch(w -> w.contains("as many measurements as parameters"));
    assertThat(fit.predict(500, 1024, 0, 4).high()).isInfinite();
  }

  @Test
  void wrongCsvFilesAreNamed() throws IOException {
    Path file = folder.resolve("loss.csv");
    Files.writeString(file, "iteration,loss\n1,2.5\n2,x\n");
    assertThatThrownBy(() -> MeasurementFile.read(file, List.of("iterations", "loss")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("no column 'iterations'");
    assertThatThrownBy(() -> MeasurementFile.read(file, List.of("iteration", "loss")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("'x'")
        .hasMessageContaining("line 3");
    Files.writeString(file, "loss,other,iteration\n2.5,?,1\n2.25,?,2\n");
    assertThat(MeasurementFile.read(file, List.of("iteration", "loss")))
        .containsExactly(new double[] {1, 2.5}, new double[] {2, 2.25});
    assertThatThrownBy(() -> MeasurementFile.read(folder.resolve("no.csv"), List.of("loss")))
        .isInstanceOf(BadInput.class);
  }
}
