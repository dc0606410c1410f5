package io.deepvm.transport;

import static io.deepvm.transport.Pair.LONG;
import static io.deepvm.transport.Pair.QUICK;
import static io.deepvm.transport.Pair.header;
import static io.deepvm.transport.Pair.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsIT {

  private static final int CHUNK = 64 << 10;
  private static final int LENGTH = 100 * CHUNK;
  private static final TransportOptions OPTIONS =
      TransportOptions.usual()
          .withTimeouts(QUICK)
          .withLimits(
              Limits.USUAL
                  .withChunkBytes(CHUNK)
                  .withMemory(new DataSize(16L * CHUNK), new DataSize(64L * CHUNK)));

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDamagedChunkIsNoticedAndSentAgain(boolean throughSink) throws Exception {
    Shelf shelf = new Shelf(throughSink);
    ByteBuffer bytes = random(LENGTH, 1);
    try (Pair pair = new Pair(shelf, OPTIONS);
        Relay relay = new Relay(pair.server.address());
        Connection connection = pair.client.connect(relay.address())) {
      relay.flipAfter(30 * CHUNK + CHUNK / 2);
      TransferOutcome outcome = connection.send(header("a", LENGTH), bytes).await(LONG);
      assertThat(outcome.status()).isEqualTo(Status.DELIVERED);
      assertThat(shelf.places.get(Name.of("a"))).isEqualTo(bytes);
      assertThat(relay.sent()).isGreaterThan(LENGTH + CHUNK);
      assertThat(connection.isOpen()).isTrue();
      assertThat(shelf.asked).hasSize(1);
    }
  }

  @Test
  void aWireThatDamagesEveryChunkIsGivenUp() throws Exception {
    Shelf shelf = new Shelf(false);
    ByteBuffer bytes = random(CHUNK, 1);
    try (Pair pair = new Pair(shelf, OPTIONS);
        Relay relay = new Relay(pair.server.address());
        Connection connection = pair.client.connect(relay.address())) {
      Source damaging =
          new Source() {
            @Override
            public long length() {
              return CHUNK;
            }

            @Override
            public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) {
              relay.flipAfter(CHUNK / 2);
              return new ByteBuffer[] {bytes.slice()};
            }
          };
      TransferOutcome outcome = connection.send(header("a", CHUNK), damaging).await(LONG);
      assertThat(outcome.status()).isEqualTo(Status.CORRUPT);
      assertThat(outcome.reason()).contains("Chunks came damaged 17 times");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCutConnectionGoesOnFromTheAcknowledgedOffset(boolean throughSink) throws Exception {
    Shelf shelf = new Shelf(throughSink);
    ByteBuffer bytes = random(LENGTH, 1);
    try (Pair pair = new Pair(shelf, OPTIONS);
        Relay relay = new Relay(pair.server.address())) {
      relay.cutAfter(60 * CHUNK);
      long acknowledged;
      try (Connection first = pair.client.connect(relay.address())) {
        TransferOutcome outcome = first.send(header("a", LENGTH), bytes).await(LONG);
        assertThat(outcome.status()).isEqualTo(Status.INTERRUPTED);
        assertThat(outcome.resumable()).isTrue();
        acknowledged = outcome.acknowledged().offset();
        assertThat(acknowledged).isLessThan(60L * CHUNK);
      }
      long before = relay.sent();
      try (Connection second = pair.client.connect(relay.address())) {
        TransferOutcome outcome = second.send(header("a", LENGTH), bytes).await(LONG);
        assertThat(outcome.status()).isEqualTo(Status.DELIVERED);
      }
      assertThat(shelf.places.get(Name.of("a"))).isEqualTo(bytes);
      assertThat(shelf.asked).hasSize(2);
      TransferProgress soFar = shelf.asked.stream().skip(1).findFirst().orElseThrow();
      // a cut drops what the receiver has not read yet, so only acknowledged bytes are sure
      assertThat(soFar.offset()).isBetween(acknowledged, 60L * CHUNK);
      assertThat(relay.sent() - before)
          .isBetween(LENGTH - soFar.offset(), LENGTH - soFar.offset() + CHUNK);
      assertThat(shelf.interruptions).hasSize(1);
      assertThat(pair.server.usage().grantedBytes()).isZero();
    }
  }

  @Test
  void aDamagedHeadEndsTheConnectionAndNothingIsLost() throws Exception {
    Shelf shelf = new Shelf(false);
    ByteBuffer bytes = random(LENGTH, 1);
    try (Pair pair = new Pair(shelf, OPTIONS);
        Relay relay = new Relay(pair.server.address())) {
      try (Connection first = pair.client.connect(relay.address())) {
        relay.flipAfter(3);
        TransferOutcome outcome = first.send(header("a", LENGTH), bytes).await(LONG);
        assertThat(outcome.status()).isEqualTo(Status.INTERRUPTED);
        assertThat(outcome.reason()).contains("A frame head is damaged.");
      }
      try (Connection second = pair.client.connect(relay.address())) {
        assertThat(second.send(header("a", LENGTH), bytes).await(LONG).delivered()).isTrue();
      }
      assertThat(shelf.places.get(Name.of("a"))).isEqualTo(bytes);
    }
  }

  @Test
  void aPeerThatIsPausedIsNoticedOnBothSides() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Shelf shelf =
        new Shelf(false) {
          @Override
          public void closed(Connection connection, String reason) {
            if (reason.contains("Nothing was received")) {
              closed.countDown();
            }
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Relay relay = new Relay(pair.server.address());
        Connection connection = pair.client.connect(relay.address())) {
      assertThat(connection.request(new byte[] {1}).get(20, TimeUnit.SECONDS)).hasSize(1);
      relay.hold();
      TransferOutcome outcome = connection.send(header("a", LENGTH), random(LENGTH, 1)).await(LONG);
      assertThat(outcome.status()).isEqualTo(Status.INTERRUPTED);
      assertThat(outcome.reason()).contains("Nothing was received for 1500 ms.");
      assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> connection.request(new byte[1]).get(20, TimeUnit.SECONDS))
          .hasMessageContaining("Nothing was received");
    }
  }

  @Test
  void anIdleConnectionStaysAliveByItsHeartbeats() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Shelf shelf =
        new Shelf(false) {
          @Override
          public byte[] answer(Connection from, byte[] request) throws IOException {
            await(release, 1800);
            return super.answer(from, request);
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      // The answer takes longer than the silence that is allowed.
      assertThat(connection.request(new byte[] {7}).get(20, TimeUnit.SECONDS)).containsExactly(7);
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void aSinkThatHangsCostsItsOwnTransferAndNoOther() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Shelf shelf =
        new Shelf(true) {
          @Override
          void put(TransferHeader header, ByteBuffer place, long offset, ByteBuffer bytes)
              throws IOException {
            if (header.name().text().equals("hanging")) {
              await(release, 20_000);
            }
            super.put(header, place, offset, bytes);
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      Transfer hanging = connection.send(header("hanging", LENGTH), random(LENGTH, 1));
      assertThat(connection.send(header("b", LENGTH), random(LENGTH, 2)).await(LONG).delivered())
          .isTrue();
      TransferOutcome outcome = hanging.await(LONG);
      assertThat(outcome.status()).isEqualTo(Status.TIMED_OUT);
      assertThat(outcome.resumable()).isTrue();
      release.countDown();
      Transfer again = connection.send(header("hanging", LENGTH), random(LENGTH, 1));
      assertThat(again.await(LONG).delivered()).isTrue();
      assertThat(shelf.places.get(Name.of("hanging"))).isEqualTo(random(LENGTH, 1));
    }
  }

  @Test
  void aRequestWithoutAnswerTimesOut() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Shelf shelf =
        new Shelf(false) {
          @Override
          public byte[] answer(Connection from, byte[] request) throws IOException {
            await(release, 20_000);
            return super.answer(from, request);
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      assertThatThrownBy(() -> connection.request(new byte[] {7}).get(20, TimeUnit.SECONDS))
          .hasMessageContaining("No answer came within 2500 ms.");
      release.countDown();
    }
  }

  @Test
  void aLaterAttemptTakesOverFromAConnectionThatHangs() throws Exception {
    Shelf shelf = new Shelf(false);
    ByteBuffer bytes = random(LENGTH, 1);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Source slow =
        new Source() {
          @Override
          public long length() {
            return LENGTH;
          }

          @Override
          public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) throws IOException {
            if (offset >= 40L * CHUNK) {
              reading.countDown();
              await(release, 20_000);
            }
            return new ByteBuffer[] {bytes.slice((int) offset, length)};
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS.withTimeouts(Timeouts.USUAL));
        Connection first = pair.connect();
        Connection second = pair.connect()) {
      Transfer hanging = first.send(header("a", LENGTH), slow);
      assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(second.send(header("a", LENGTH), bytes).await(LONG).delivered()).isTrue();
      release.countDown();
      TransferOutcome outcome = hanging.await(LONG);
      assertThat(outcome.status()).isEqualTo(Status.CANCELLED);
      assertThat(outcome.reason()).isEqualTo("A later attempt took over.");
      assertThat(shelf.places.get(Name.of("a"))).isEqualTo(bytes);
      assertThat(shelf.received).containsEntry(Name.of("a"), 1);
    }
  }

  @Test
  void nothingIsLeftAfterTheEnd() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Shelf shelf =
        new Shelf(true) {
          @Override
          void put(TransferHeader header, ByteBuffer place, long offset, ByteBuffer bytes)
              throws IOException {
            writing.countDown();
            await(release, 20_000);
          }
        };
    Pair pair = new Pair(shelf, OPTIONS);
    Connection connection = pair.connect();
    Transfer unfinished = connection.send(header("a", LENGTH), random(LENGTH, 1));
    assertThat(writing.await(20, TimeUnit.SECONDS)).isTrue();
    pair.client.close();
    assertThat(unfinished.await(LONG).status()).isEqualTo(Status.INTERRUPTED);
    release.countDown();
    pair.server.close();
    for (Thread thread : pair.threads()) {
      thread.join(5000);
      assertThat(thread.isAlive()).as(thread.getName()).isFalse();
    }
    assertThat(pair.server.usage()).isEqualTo(usageWithNothingBut(pair.server.usage()));
    assertThat(shelf.interruptions).hasSize(1);
    assertThat(connection.send(header("b", 0)).await(LONG).status()).isEqualTo(Status.INTERRUPTED);
  }

  private static Usage usageWithNothingBut(Usage usage) {
    return new Usage(0, 0, 0, usage.peakGrantedBytes(), 0, 0);
  }

  /** Waits for the latch, or for so long. */
  private static void await(CountDownLatch latch, long millis) throws IOException {
    try {
      boolean unused = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
