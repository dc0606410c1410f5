package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BuiltInTracesTest {

  @Test
  void theH100CountsAreOfThirteenZonesWithPricesOfOneGpu() {
    Recording read = Markets.load("gcp-h100-2025-10");
    assertThat(read.licence()).startsWith("Apache-2.0");
    assertThat(read.traces()).hasSize(13).allMatch(trace -> trace.asked() == 16);
    assertThat(read.traces()).allMatch(trace -> trace.length() == 1272 && trace.gaps() == 10);
    assertThat(read.traces())
        .allMatch(t -> t.pool().instanceType().equals("a3-highgpu-1g"))
        .allMatch(t -> Instant.parse("2025-10-04T00:10:00Z").equals(t.start()));
    Trace virginia = read.traces().get(8);
    assertThat(virginia.pool().place()).hasToString("gcp/us-east4/us-east4-a");
    assertThat(virginia.spotUsdPerHour()[0]).isCloseTo(14.85344 / 8, within(1e-6));
    assertThat(virginia.onDemandUsdPerHour()).isCloseTo(82.52543712 / 8, within(1e-6));
  }

  @Test
  void theV100TraceHasAPriceInEveryTick() {
    SpotMarket market = Markets.load("aws-v100-2023-02").market(GapRule.REFUSE);
    assertThat(market.pools()).hasSize(3);
    assertThat(market.ticks()).isEqualTo(20158);
    assertThat(market.tickSeconds()).isEqualTo(195);
    assertThat(market.onDemandUsdPerHour(0)).isEqualTo(3.06);
    assertThat(market.notice(0)).isEqualTo(Notice.of("aws"));
    int up = 0;
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (int t = 0; t < market.ticks(); t++) {
      up += market.available(0, t);
      least = Math.min(least, market.spotUsdPerHour(0, t));
      most = Math.max(most, market.spotUsdPerHour(0, t));
    }
    assertThat(least).isGreaterThanOrEqualTo(0.918);
    assertThat(most).isEqualTo(1.4053);
    assertThat(up).isEqualTo(9404);
  }

  @ParameterizedTest
  @MethodSource("io.deepvm.market.Markets#builtIn")
  void everyBuiltInTraceMakesAMarket(String name) {
    assertThat(Markets.load(name).market(GapRule.LAST).ticks()).isPositive();
  }

  @Test
  void aNameThatIsNoneSuggestsTheNearest() {
    assertThatThrownBy(() -> Markets.load("gcp-h100-2025-1"))
        .hasMessageContaining("gcp-h100-2025-1")
        .extracting("wayOut")
        .asString()
        .contains("gcp-h100-2025-10");
  }
}
