package io.deepvm.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Bandwidth;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class NetworkSaturationProperties {

  @Example
  void theMeasuredBandwidthsGiveTheMeasuredNumbers() {
    double[][] table = {
      {0.3, 2}, {1.7, 12}, {5, 16}, {10, 20}, {12.5, 24}, {15, 24}, {25, 28}, {30, 32}
    };
    for (double[] row : table) {
      assertThat(NetworkSaturation.workersPerAnchor(Bandwidth.ofGbps(row[0]))).isEqualTo(row[1]);
    }
  }

  @Property
  void moreBandwidthNeverServesFewerWorkers(
      @ForAll @DoubleRange(min = 0, max = 400) double a,
      @ForAll @DoubleRange(min = 0, max = 400) double b) {
    double slow = NetworkSaturation.workersPerAnchor(Bandwidth.ofGbps(Math.min(a, b)));
    double fast = NetworkSaturation.workersPerAnchor(Bandwidth.ofGbps(Math.max(a, b)));
    assertThat(slow).isLessThanOrEqualTo(fast);
    assertThat(fast).isBetween(0.0, 32.0);
  }

  @Property
  void theAnchorsNeededAreTheFewestThatAreNotSaturated(
      @ForAll @IntRange(min = 1, max = 1000) int workers,
      @ForAll @DoubleRange(min = 0.5, max = 32) double saturation) {
    int anchors = NetworkSaturation.anchorsNeeded(workers, saturation);
    assertThat(workers / (double) anchors).isLessThan(saturation);
    if (anchors > 1) {
      assertThat(workers / (anchors - 1.0)).isGreaterThanOrEqualTo(saturation);
    }
  }
}
