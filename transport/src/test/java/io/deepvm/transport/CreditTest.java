package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CreditTest {

  private static final int CHUNK = 1_000;
  private static final long WINDOW = 4_000;
  private static final long LENGTH = 10_500;

  private final Credit credit = new Credit(LENGTH, CHUNK, WINDOW);

  @Test
  void memoryForTheWholeGivesCreditForTheWhole() {
    credit.begin(2_000, true);

    assertThat(credit.limit()).isEqualTo(LENGTH);
    assertThat(credit.wantedSlots(2_000)).isZero();
    assertThat(credit.slotsToAwait(2_000)).isZero();
    assertThat(credit.release(5_000)).isZero();
  }

  @Test
  void aSinkGetsAWindowOfChunksBeyondWhatItHolds() {
    credit.begin(0, false);
    assertThat(credit.limit()).isZero();
    assertThat(credit.wantedSlots(0)).isEqualTo(4);

    assertThat(credit.add(3)).isTrue();
    assertThat(credit.limit()).isEqualTo(3_000);
    assertThat(credit.wantedSlots(0)).isEqualTo(1);
    assertThat(credit.wantedSlots(2_000)).isEqualTo(3);
  }

  @Test
  void theWindowCountsWholeChunksOnly() {
    Credit odd = new Credit(LENGTH, CHUNK, 2_999);
    odd.begin(0, false);

    assertThat(odd.wantedSlots(0)).isEqualTo(2);
  }

  @Test
  void theLastChunkMayBeShort() {
    credit.begin(8_000, false);
    assertThat(credit.wantedSlots(8_000)).isEqualTo(3);

    credit.add(3);
    assertThat(credit.limit()).isEqualTo(LENGTH);
    assertThat(credit.wantedSlots(10_000)).isZero();
    assertThat(credit.release(10_000)).isEqualTo(1);
  }

  @Test
  void aTransferWithoutCreditWaitsOnce() {
    credit.begin(0, false);
    assertThat(credit.slotsToAwait(0)).isEqualTo(4);
    assertThat(credit.isWaiting()).isTrue();
    assertThat(credit.slotsToAwait(0)).isZero();

    credit.awaited();
    credit.add(1);
    assertThat(credit.isWaiting()).isFalse();
    assertThat(credit.slotsToAwait(0)).as("there is credit").isZero();
    assertThat(credit.slotsToAwait(1_000)).as("it is used up").isEqualTo(4);
  }

  @Test
  void creditThatComesAfterTheEndIsNotTaken() {
    credit.begin(0, false);
    credit.add(4);
    assertThat(credit.release(1_000)).isEqualTo(3);

    assertThat(credit.add(2)).isFalse();
    assertThat(credit.limit()).isEqualTo(4_000);
    assertThat(credit.slotsToAwait(4_000)).isZero();
  }

  @Test
  void theSenderLearnsOfProgressBeforeItsCreditRunsOut() {
    credit.begin(0, false);
    credit.add(4);
    credit.told(0);
    assertThat(credit.isWordDue(999)).as("too little has come").isFalse();
    assertThat(credit.isWordDue(1_000)).as("a quarter of the window").isTrue();

    credit.told(3_000);
    credit.add(1);
    assertThat(credit.isWordDue(3_000)).as("new credit, and the old runs out").isTrue();
    credit.told(3_000);
    assertThat(credit.isWordDue(3_000)).as("nothing new").isFalse();
  }

  @Test
  void aSenderWithCreditForTheWholeLearnsOfProgressOnceAWindow() {
    credit.begin(0, true);
    credit.told(0);

    assertThat(credit.isWordDue(3_999)).isFalse();
    assertThat(credit.isWordDue(4_000)).isTrue();
  }
}
