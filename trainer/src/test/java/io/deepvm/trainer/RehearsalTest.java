package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class RehearsalTest {

  /** 10 ms a micro-batch, 8 of them in a step; 4 ms for the rest, 10 ms with two members. */
  private static final Rehearsal SEEN = new Rehearsal(2, 0.010, 0.004, 0.010, 8, 64, List.of());

  @Test
  void oneMemberComputesAll() {
    assertThat(SEEN.stepSeconds(1)).isEqualTo(0.084, within(1e-12));
  }

  @Test
  void microBatchesGoToWhoIsFree() {
    // one of half the speed does two while the other does six, or three and five
    assertThat(SEEN.stepSeconds(1, 0.5)).isEqualTo(0.060 + 0.010, within(1e-12));
  }

  @Test
  void whatIsExchangedGrowsWithTheShareOfTheOthers() {
    assertThat(SEEN.stepSeconds(1, 1, 1, 1)).isEqualTo(0.020 + 0.004 + 0.006 * 1.5, within(1e-12));
    assertThat(SEEN.samplesPerSecond(1, 1)).isEqualTo(64 / 0.050, within(1e-9));
  }
}
