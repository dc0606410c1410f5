package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.Crc32c;
import io.deepvm.transport.Integrity.Verdict;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IntegrityTest {

  private static final int CHUNK = 1_000;
  private static final int LENGTH = 2_500;

  private final byte[] bytes = new byte[LENGTH];
  private final Integrity integrity = new Integrity(LENGTH, CHUNK);

  IntegrityTest() {
    new Random(1).nextBytes(bytes);
  }

  private int sum(int from, int length) {
    return Crc32c.of(ByteBuffer.wrap(bytes, from, length));
  }

  /** Lets a chunk come, whose checksum is as stated. */
  private Verdict comes(int offset, int length, int seen, int stated) throws ProtocolException {
    assertThat(integrity.expects(offset, length, LENGTH)).isTrue();
    integrity.awaitSum(new ReceivedChunk(offset, length, seen, null));
    return integrity.check(Objects.requireNonNull(integrity.takeUnproven(offset)), stated);
  }

  private Verdict comes(int offset, int length) throws ProtocolException {
    return comes(offset, length, sum(offset, length), sum(offset, length));
  }

  @Test
  void chunksInOrderMakeTheWhole() throws Exception {
    assertThat(comes(0, CHUNK)).isEqualTo(Verdict.SOUND);
    assertThat(comes(CHUNK, CHUNK)).isEqualTo(Verdict.SOUND);
    assertThat(comes(2 * CHUNK, 500)).isEqualTo(Verdict.SOUND);

    TransferProgress whole = new TransferProgress(LENGTH, sum(0, LENGTH));
    assertThat(integrity.arrived()).isEqualTo(whole);
    assertThat(integrity.isComplete(whole)).as("the sender has not ended").isFalse();
    assertThat(integrity.end(LENGTH, sum(0, LENGTH))).isTrue();
    assertThat(integrity.isComplete(whole)).isTrue();
    assertThat(integrity.isSound(whole)).isTrue();
    assertThat(integrity.isSound(new TransferProgress(LENGTH, 1))).isFalse();
  }

  @Test
  void aTransferGoesOnFromWhatIsHeld() throws Exception {
    integrity.begin(new TransferProgress(2 * CHUNK, sum(0, 2 * CHUNK)));

    assertThat(comes(2 * CHUNK, 500)).isEqualTo(Verdict.SOUND);
    assertThat(integrity.arrived().crc32c()).isEqualTo(sum(0, LENGTH));
  }

  @Test
  void afterDamageChunksAreSkippedUntilTheSenderBeginsAgain() throws Exception {
    assertThat(comes(0, CHUNK)).isEqualTo(Verdict.SOUND);
    assertThat(comes(CHUNK, CHUNK, 7, 8)).isEqualTo(Verdict.DAMAGED);
    assertThat(integrity.arrived().offset()).isEqualTo(CHUNK);

    assertThat(integrity.expects(2 * CHUNK, 500, LENGTH)).as("was under way").isFalse();
    assertThat(integrity.takeUnproven(2 * CHUNK)).as("the sum of a skipped chunk").isNull();
    assertThat(integrity.end(LENGTH, 0)).as("the end was under way, too").isFalse();
    assertThat(comes(CHUNK, CHUNK)).isEqualTo(Verdict.SOUND);
    assertThat(comes(2 * CHUNK, 500)).isEqualTo(Verdict.SOUND);
    assertThat(integrity.end(LENGTH, sum(0, LENGTH))).isTrue();
  }

  @Test
  void tooMuchDamageIsReported() throws Exception {
    for (int i = 0; i < Integrity.MOST_RETRIES; i++) {
      assertThat(comes(0, CHUNK, 7, 8)).isEqualTo(Verdict.DAMAGED);
    }
    assertThat(comes(0, CHUNK, 7, 8)).isEqualTo(Verdict.DAMAGED_TOO_OFTEN);
    assertThat(integrity.retries()).isEqualTo(Integrity.MOST_RETRIES + 1);
  }

  @Test
  void bytesOutOfOrderAreRefused() {
    assertThatThrownBy(() -> integrity.expects(CHUNK, CHUNK, LENGTH))
        .isInstanceOf(ProtocolException.class)
        .hasMessage("Bytes came for offset 1000 instead of 0.");
  }

  @Test
  void bytesBeyondTheCreditAndPartsOfChunksAreRefused() {
    assertThatThrownBy(() -> integrity.expects(0, CHUNK, CHUNK - 1))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("beyond the credit up to 999");
    assertThatThrownBy(() -> integrity.expects(0, CHUNK - 1, LENGTH))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("not a whole chunk");
  }

  @Test
  void aChunkBeforeTheChecksumOfTheLastOneIsRefused() throws Exception {
    assertThat(integrity.expects(0, CHUNK, LENGTH)).isTrue();
    integrity.awaitSum(new ReceivedChunk(0, CHUNK, 0, null));

    assertThatThrownBy(() -> integrity.expects(CHUNK, CHUNK, LENGTH))
        .isInstanceOf(ProtocolException.class)
        .hasMessage("A chunk came before the checksum of the last one.");
  }

  @Test
  void anEndBeforeAllBytesIsRefused() {
    assertThatThrownBy(() -> integrity.end(LENGTH, 0))
        .isInstanceOf(ProtocolException.class)
        .hasMessage("A transfer ended before all its bytes had come.");
  }
}
