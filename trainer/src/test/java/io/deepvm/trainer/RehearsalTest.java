package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.trainer.Rehearsal.Overhead;
import java.util.List;
import org.junit.jupiter.api.Test;

class RehearsalTest {

  private static final List<Overhead> OVERHEADS =
      List.of(new Overhead(1, 0.004), new Overhead(2, 0.010), new Overhead(4, 0.014));

  /** 10 ms a micro-batch, 8 of them in a step; 4 ms for the rest, 10 with two, 14 with four. */
  private static final Rehearsal SEEN =
      new Rehearsal(2, 0.1, 0.5, 0.010, true, 8, 64, OVERHEADS, List.of());

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
  void nobodyTakesOneThatOthersAreDoneWithBefore() {
    // one of a quarter of the speed does one while the other does seven; a second would take 80 ms
    assertThat(SEEN.stepSeconds(1, 0.25)).isEqualTo(0.070 + 0.010, within(1e-12));
  }

  @Test
  void theRestIsAsMeasuredOrBetweenAndBeyond() {
    assertThat(SEEN.stepSeconds(1, 1, 1, 1)).isEqualTo(0.020 + 0.014, within(1e-12));
    // eight over three: one does two, the others three
    assertThat(SEEN.stepSeconds(1, 1, 1)).isEqualTo(0.030 + 0.012, within(1e-12));
    assertThat(SEEN.stepSeconds(1, 1, 1, 1, 1)).isEqualTo(0.020 + 0.016, within(1e-12));
    assertThat(SEEN.samplesPerSecond(1, 1)).isEqualTo(64 / 0.050, within(1e-9));
  }

  @Test
  void thoseWhoDoNotWaitForEachOtherAddUp() {
    Rehearsal seen = new Rehearsal(2, 0.1, 0.5, 0.010, false, 1, 8, OVERHEADS, List.of());
    // 20 ms and 30 ms for a micro-batch each: 50 and 33.3 a second
    assertThat(seen.samplesPerSecond(1, 0.5)).isEqualTo(8 * (50 + 100 / 3.0), within(1e-9));
  }
}
