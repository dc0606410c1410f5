package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import org.junit.jupiter.api.Test;

class UnannouncedLossesTest {

  private final SpotMarket recorded =
      SpotMarket.of(
          Markets.load("aws-v100-2023-02").traces().stream()
              .map(trace -> trace.filled(GapRule.LAST))
              .toList());

  @Test
  void aMarketKeepsItsPromisesUnlessToldOtherwise() {
    assertThat(recorded.notice(0)).isEqualTo(new Notice(120, 1));
    assertThat(recorded.crashesPerNodeHour(0)).isZero();
  }

  @Test
  void aShareOfTheNoticesFailsInAMarketAndInItsWindows() {
    SpotMarket losing = recorded.losing(UnannouncedLosses::of);
    for (SpotMarket market :
        new SpotMarket[] {losing, losing.window(5, 9), losing.rearranged(new int[] {3, 1})}) {
      assertThat(market.notice(0)).isEqualTo(new Notice(120, 0.95));
      assertThat(market.crashesPerNodeHour(0)).isEqualTo(UnannouncedLosses.CRASHES_PER_NODE_HOUR);
    }
    assertThat(losing.available(0, 77)).isEqualTo(recorded.available(0, 77));
  }

  @Test
  void theCrashRateIsOneInAboutSixThousandNodeHours() {
    // 419 in 54 days x 24 h x 2,048 nodes.
    assertThat(1 / UnannouncedLosses.CRASHES_PER_NODE_HOUR).isCloseTo(6334.7, within(0.1));
  }

  @Test
  void aCloudThatPromisesNothingTakesNodesWithoutNotice() {
    assertThat(UnannouncedLosses.of("elsewhere").share()).isEqualTo(1);
    assertThat(Notice.of("elsewhere").failing(1)).isEqualTo(Notice.NONE);
  }

  @Test
  void sharesAboveOneAreRefused() {
    assertThatThrownBy(() -> UnannouncedLosses.NONE.withShare(1.5))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("1.5");
  }
}
