package io.deepvm.workload.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.Bandwidth;
import io.deepvm.workload.ScalingCurve;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.LossCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;

class FitProperties {

  @Property(tries = 60, seed = "20261115")
  void aLossCurveIsRecoveredFromItsOwnPoints(
      @ForAll @DoubleRange(min = 50, max = 3000) double gamma1,
      @ForAll @DoubleRange(min = -0.3, max = -0.02) double gamma2,
      @ForAll @DoubleRange(min = 1000, max = 5000) double gamma3,
      @ForAll @DoubleRange(min = 0.05, max = 2) double floor) {
    LossCurve truth = new LossCurve(gamma1, gamma2, gamma3, floor, null);
    LossCurve found = LossFit.withoutCoefficient(points(truth, new Random(1), 0)).curve();
    same(found, truth, 1e-5);
  }

  @Property(tries = 20, seed = "20261115")
  void aLossCurveWithCoefficientIsRecoveredFromItsOwnPoints(
      @ForAll @DoubleRange(min = 50, max = 3000) double gamma1,
      @ForAll @DoubleRange(min = -0.3, max = -0.02) double gamma2,
      @ForAll @DoubleRange(min = 1000, max = 5000) double gamma3,
      @ForAll @DoubleRange(min = 0.1, max = 3) double gamma4) {
    LossCurve truth = new LossCurve(gamma1, gamma2, gamma3, 0.5, gamma4);
    LossFit fit = LossFit.withCoefficient(points(truth, new Random(1), 0));
    same(fit.curve(), truth, 1e-3);
    assertThat(fit.curve().gamma4()).isCloseTo(gamma4, within(1e-3 * gamma4));
  }

  @Property(tries = 25, seed = "20261115")
  void standardErrorsCoverTheTruthOfNoisyLogs(@ForAll long seed) {
    LossCurve truth = new LossCurve(876.5, -0.2, 2507.6, 0.5, null);
    LossFit fit = LossFit.withoutCoefficient(points(truth, new Random(seed), 0.02));
    Parameter floor = fit.fit().parameters().get(3);
    assertThat(floor.value()).isCloseTo(0.5, within(5 * floor.standardError()));
    assertThat(floor.standardError()).isPositive().isLessThan(0.05);
    assertThat(fit.fit().residual()).isBetween(0.013, 0.028);
  }

  @Property(tries = 60, seed = "20261115")
  void contentionIsRecovered(
      @ForAll @DoubleRange(min = 0.3, max = 0.5) double alpha,
      @ForAll @DoubleRange(min = -1.2, max = -0.5) double beta) {
    Contention truth = Contention.of(alpha, beta);
    Bandwidth alone = Bandwidth.ofGbps(2);
    Bandwidth servers = Bandwidth.ofGbps(4);
    List<ContentionFit.Point> points = new ArrayList<>();
    for (int n = 3; n < 60; n++) {
      double p = truth.probability(n);
      points.add(
          new ContentionFit.Point(n, new Bandwidth(Math.round(p * 4e9 / n + (1 - p) * 2e9))));
    }
    Contention found = ContentionFit.of(points, alone, servers).contention();
    assertThat(found.alpha()).isCloseTo(alpha, within(1e-5));
    assertThat(found.beta()).isCloseTo(beta, within(1e-5));
  }

  @Property(tries = 60, seed = "20261115")
  void aScalingCurveIsRecovered(
      @ForAll @DoubleRange(min = 0.05, max = 0.4) double a,
      @ForAll @DoubleRange(min = 1, max = 12) double b,
      @ForAll @DoubleRange(min = 4, max = 30) double c) {
    ScalingCurve.Logistic truth = new ScalingCurve.Logistic(a, b, c);
    List<ScalingFit.Point> points = new ArrayList<>();
    for (int n = 1; n <= 48; n++) {
      if (truth.estimate(n) > 0) {
        points.add(new ScalingFit.Point(n, truth.estimate(n)));
      }
    }
    ScalingCurve.Logistic found = ScalingFit.of(points).curve();
    for (int n = 2; n <= 48; n++) {
      assertThat(found.estimate(n)).isCloseTo(truth.estimate(n), within(1e-4 * c));
    }
  }

  static List<LossFit.Point> points(LossCurve truth, Random random, double noise) {
    double[][] clusters = {{1024, 0.40, 2}, {1243, 0.76, 4}, {1410, 0.87, 7}, {2048, 0.9, 8}};
    List<LossFit.Point> points = new ArrayList<>();
    for (double[] cluster : clusters) {
      for (double j = 0; j <= 12800; j += 400) {
        points.add(
            new LossFit.Point(
                j,
                cluster[0],
                cluster[1],
                (int) cluster[2],
                truth.loss(cluster[0], cluster[1], (int) cluster[2], j)
                    + noise * random.nextGaussian()));
      }
    }
    return points;
  }

  private static void same(LossCurve found, LossCurve truth, double tolerance) {
    assertThat(found.gamma1()).isCloseTo(truth.gamma1(), within(tolerance * truth.gamma1()));
    assertThat(found.gamma2()).isCloseTo(truth.gamma2(), within(-tolerance * truth.gamma2()));
    assertThat(found.gamma3()).isCloseTo(truth.gamma3(), within(tolerance * truth.gamma3()));
    assertThat(found.floor()).isCloseTo(truth.floor(), within(tolerance));
  }
}
