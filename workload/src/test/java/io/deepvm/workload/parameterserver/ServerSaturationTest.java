package io.deepvm.workload.parameterserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ServerSaturationTest {

  /** CM-DARE (Apache-2.0): shake-shake, small, on 1 to 8 P100 with one server, steps a second. */
  private static final Map<Integer, Double> SHAKE_SMALL =
      Map.of(
          1, 6.75, 2, 13.6624, 3, 19.5366, 4, 24.7913, 5, 27.2533, 6, 27.4408, 7, 28.3718, 8,
          27.0025);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void aClusterThatWasLeftOutIsWithinFivePercent(int workers) {
    Map<Integer, Double> others = new TreeMap<>(SHAKE_SMALL);
    double measured = others.remove(workers);

    assertThat(ServerSaturation.fit(others).stepsPerSecond(workers))
        .isEqualTo(measured, within(0.05 * measured));
  }

  @Property
  void moreWorkersAreNeverSlowerAndNeverAboveEitherLimit(
      @ForAll @IntRange(min = 1, max = 200) int workers,
      @ForAll @DoubleRange(min = 0.1, max = 100) double alone,
      @ForAll @DoubleRange(min = 0.1, max = 1000) double capacity) {
    ServerSaturation servers = new ServerSaturation(alone, capacity);
    double speed = servers.stepsPerSecond(workers);

    assertThat(servers.stepsPerSecond(workers + 1)).isGreaterThanOrEqualTo(speed * (1 - 1e-12));
    assertThat(speed).isLessThanOrEqualTo(Math.min(workers * alone, capacity) * (1 + 1e-12));
  }

  @Test
  void oneMeasurementIsTooFew() {
    assertThatThrownBy(() -> ServerSaturation.fit(Map.of(1, 5.0)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("cannot show what servers take");
  }
}
