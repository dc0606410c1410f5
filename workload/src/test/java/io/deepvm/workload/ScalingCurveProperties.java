package io.deepvm.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class ScalingCurveProperties {

  @Property
  void theFactorIsTheLogisticOverItsTangent(
      @ForAll @DoubleRange(min = 0.01, max = 2) double a,
      @ForAll @DoubleRange(min = 1, max = 40) double b,
      @ForAll @DoubleRange(min = 0.5, max = 30) double c,
      @ForAll @IntRange(min = 1, max = 1000) int n) {
    ScalingCurve.Logistic curve = new ScalingCurve.Logistic(a, b, c);
    double expected = n <= b ? 1 : curve.logistic(n) / curve.tangent(n);
    assertThat(curve.factor(n)).isCloseTo(expected, within(1e-9));
  }

  @Property
  void effectiveNodesNeverExceedTheLimitOfFourOverA(
      @ForAll @DoubleRange(min = 0.01, max = 2) double a,
      @ForAll @DoubleRange(min = 1, max = 40) double b) {
    ScalingCurve.Logistic curve = new ScalingCurve.Logistic(a, b, 1);
    int n = 1_000_000;
    assertThat(n * curve.factor(n)).isCloseTo(4 / a, within(0.01 * 4 / a + 1e-3 * b));
  }

  @Property
  void oneNodeIsAsFastAsOneNodeAndNothingIsNegative(
      @ForAll @DoubleRange(min = 0.01, max = 2) double a,
      @ForAll @DoubleRange(min = 1, max = 200) double b,
      @ForAll @IntRange(min = 1, max = 1000) int n) {
    ScalingCurve curve = new ScalingCurve.Logistic(a, b, 5);
    assertThat(curve.speedup(1)).isEqualTo(1);
    assertThat(curve.speedup(n)).isNotNegative();
  }

  @Property
  void amdahlNeverBeatsItsSerialShare(
      @ForAll @DoubleRange(min = 0.01, max = 1) double share,
      @ForAll @IntRange(min = 1, max = 1000) int n) {
    double speedup = new ScalingCurve.Amdahl(share).speedup(n);
    assertThat(speedup).isBetween(1 - 1e-12, Math.min(n, 1 / share) + 1e-9);
  }

  @Example
  void measurementsAreJoinedByLinesAndNotExtrapolated() {
    TreeMap<Integer, Double> points = new TreeMap<>();
    points.put(2, 1.8);
    points.put(4, 3.0);
    ScalingCurve curve = new ScalingCurve.Measured(points);
    assertThat(curve.speedup(1)).isEqualTo(1);
    assertThat(curve.speedup(3)).isCloseTo(2.4, within(1e-12));
    assertThat(curve.speedup(100)).isEqualTo(3.0);
  }
}
