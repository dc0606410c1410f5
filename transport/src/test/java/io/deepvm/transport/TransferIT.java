package io.deepvm.transport;

import static io.deepvm.transport.Pair.LONG;
import static io.deepvm.transport.Pair.header;
import static io.deepvm.transport.Pair.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.Crc32c;
import io.deepvm.base.DataSize;
import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransferIT {

  private static final int CHUNK = 16 << 10;
  private static final TransportOptions OPTIONS =
      TransportOptions.usual()
          .withLimits(
              Limits.USUAL
                  .withChunkBytes(CHUNK)
                  .withMemory(new DataSize(8L * CHUNK), new DataSize(32L * CHUNK)));

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsSentArrivesWhateverItsSize(boolean throughSink) throws Exception {
    Shelf shelf = new Shelf(throughSink);
    Random sizes = new Random(20261115);
    List<Integer> lengths = new ArrayList<>(List.of(0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 9 * CHUNK));
    for (int i = 0; i < 20; i++) {
      lengths.add(sizes.nextInt(40 * CHUNK));
    }
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      List<Transfer> transfers = new ArrayList<>();
      for (int length : lengths) {
        ByteBuffer bytes = random(length, length);
        int cut = length / 3;
        transfers.add(
            connection.send(
                header("t" + length, length),
                bytes.slice(0, cut),
                bytes.slice(cut, 0),
                bytes.slice(cut, length - cut)));
      }
      for (Transfer transfer : transfers) {
        assertThat(transfer.await(LONG).status()).isEqualTo(Status.DELIVERED);
      }
      for (int length : lengths) {
        assertThat(shelf.places.get(Name.of("t" + length))).isEqualTo(random(length, length));
      }
      assertThat(transfers.get(5).acknowledged()).isEqualTo(9L * CHUNK);
      assertThat(transfers.get(5).await(LONG).acknowledged())
          .isEqualTo(new TransferProgress(9L * CHUNK, Crc32c.of(random(9 * CHUNK, 9 * CHUNK))));
    }
  }

  @Test
  void offsetsBeyondFourGibibytesWork() throws Exception {
    ByteBuffer pattern = random(Limits.USUAL.chunkBytes(), 7);
    long length = (5L << 30) + 123;
    long start = (5L << 30) - 3L * pattern.capacity();
    TransferProgress prefix = TransferProgress.NONE;
    int piece = Crc32c.of(pattern);
    while (prefix.offset() < start) {
      prefix = prefix.and(piece, pattern.remaining());
    }
    TransferProgress from = prefix;
    AtomicLong seen = new AtomicLong(start);
    Handler handler =
        new Handler() {
          @Override
          public Decision incoming(Connection peer, TransferHeader header, TransferProgress soFar) {
            return Decision.through(
                from,
                (offset, bytes) -> {
                  int at = (int) (offset % pattern.capacity());
                  if (offset != seen.getAndAdd(bytes.remaining())
                      || !bytes.equals(pattern.slice(at, bytes.remaining()))) {
                    throw new IOException("Wrong bytes at " + offset + ".");
                  }
                });
          }
        };
    Source source =
        new Source() {
          @Override
          public long length() {
            return length;
          }

          @Override
          public ByteBuffer[] read(long offset, int wanted, ByteBuffer scratch) {
            return new ByteBuffer[] {pattern.slice((int) (offset % pattern.capacity()), wanted)};
          }
        };
    try (Pair pair = new Pair(handler, TransportOptions.usual());
        Connection connection = pair.connect()) {
      TransferOutcome outcome = connection.send(header("large", length), source).await(LONG);
      assertThat(outcome.reason()).isEmpty();
      assertThat(outcome.acknowledged().offset()).isEqualTo(length);
      assertThat(seen).hasValue(length);
    }
  }

  @Test
  void filesAreSentAndReceivedInPlace(@TempDir Path folder) throws Exception {
    ByteBuffer bytes = random(50 * CHUNK + 5, 3);
    Path from = Files.write(folder.resolve("from"), new byte[0]);
    Path to = folder.resolve("to");
    try (FileChannel in =
            FileChannel.open(from, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileChannel out =
            FileChannel.open(to, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      in.write(bytes.duplicate(), 100);
      Handler handler =
          new Handler() {
            @Override
            public Decision incoming(
                Connection peer, TransferHeader header, TransferProgress soFar) {
              return Decision.through(soFar, Sink.to(out, 10));
            }
          };
      try (Pair pair = new Pair(handler, OPTIONS);
          Connection connection = pair.connect()) {
        Source source = Source.of(in, 100, bytes.remaining());
        TransferOutcome outcome =
            connection.send(header("file", bytes.remaining()), source).await(LONG);
        assertThat(outcome.delivered()).isTrue();
        Source tooLong = Source.of(in, 100, bytes.remaining() + 1L);
        TransferOutcome failed =
            connection.send(header("beyond", bytes.remaining() + 1L), tooLong).await(LONG);
        assertThat(failed.status()).isEqualTo(Status.FAILED);
        assertThat(failed.reason()).contains("The file ends before byte");
      }
    }
    byte[] written = Files.readAllBytes(to);
    assertThat(ByteBuffer.wrap(written, 10, bytes.remaining())).isEqualTo(bytes);
  }

  @Test
  void aSecondAttemptAtADeliveredTransferIsANoOp() throws Exception {
    Shelf shelf = new Shelf(false);
    ByteBuffer bytes = random(5 * CHUNK, 1);
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection first = pair.connect();
        Connection second = pair.connect()) {
      TransferOutcome once = first.send(header("a", bytes.remaining()), bytes).await(LONG);
      TransferOutcome again = second.send(header("a", bytes.remaining()), bytes).await(LONG);
      assertThat(again.status()).isEqualTo(Status.DUPLICATE);
      assertThat(again.acknowledged()).isEqualTo(once.acknowledged());
      assertThat(shelf.asked).hasSize(1);
      assertThat(shelf.received).containsEntry(Name.of("a"), 1);

      TransferHeader other =
          new TransferHeader(header("a", 1).id(), Pair.JOB, 1, Name.of("b"), CHUNK);
      TransferOutcome conflict = second.send(other, random(CHUNK, 2)).await(LONG);
      assertThat(conflict.status()).isEqualTo(Status.REFUSED);
      assertThat(conflict.reason()).contains("stands for another transfer");
    }
  }

  @Test
  void anOlderGenerationIsRefusedEvenWhenItIsUnderWay() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Shelf shelf =
        new Shelf(true) {
          @Override
          void put(TransferHeader header, ByteBuffer place, long offset, ByteBuffer bytes)
              throws IOException {
            writing.countDown();
            await(goOn);
            super.put(header, place, offset, bytes);
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      Transfer old = connection.send(header("old", CHUNK), random(CHUNK, 1));
      assertThat(writing.await(20, TimeUnit.SECONDS)).isTrue();
      TransferHeader newer =
          new TransferHeader(header("new", 0).id(), Pair.JOB, 2, Name.of("new"), 0);
      assertThat(connection.send(newer).await(LONG).delivered()).isTrue();
      goOn.countDown();
      assertThat(old.await(LONG).status()).isEqualTo(Status.STALE);
      assertThat(shelf.received).doesNotContainKey(Name.of("old"));

      TransferOutcome late = connection.send(header("late", CHUNK), random(CHUNK, 1)).await(LONG);
      assertThat(late.status()).isEqualTo(Status.STALE);
      assertThat(late.reason()).contains("Generation 1 of group job is older than generation 2");
      TransferHeader elsewhere =
          new TransferHeader(header("else", 0).id(), Name.of("other job"), 0, Name.of("else"), 0);
      assertThat(connection.send(elsewhere).await(LONG).delivered()).isTrue();
    }
  }

  @Test
  void theReceiversMemoryStaysWithinItsBudgetWhileSinksAreSlow() throws Exception {
    BlockingQueue<Integer> permits = new LinkedBlockingQueue<>();
    AtomicLong mostLent = new AtomicLong();
    List<TransportServer> server = new ArrayList<>();
    Shelf shelf =
        new Shelf(true) {
          @Override
          void put(TransferHeader header, ByteBuffer place, long offset, ByteBuffer bytes)
              throws IOException {
            try {
              assertThat(permits.poll(20, TimeUnit.SECONDS)).isNotNull();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            mostLent.accumulateAndGet(server.get(0).usage().lentBytes(), Math::max);
            super.put(header, place, offset, bytes);
          }
        };
    long budget = 3L * CHUNK;
    TransportOptions tight =
        OPTIONS.withLimits(
            OPTIONS.limits().withMemory(new DataSize(2L * CHUNK), new DataSize(budget)));
    int count = 8;
    int chunks = 20;
    try (Pair pair = new Pair(shelf, tight);
        Connection one = pair.connect();
        Connection two = pair.connect()) {
      server.add(pair.server);
      List<Transfer> transfers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ByteBuffer bytes = random(chunks * CHUNK, i);
        transfers.add((i % 2 == 0 ? one : two).send(header("t" + i, bytes.remaining()), bytes));
      }
      for (int i = 0; i < count * chunks; i++) {
        permits.add(i);
      }
      for (int i = 0; i < count; i++) {
        assertThat(transfers.get(i).await(LONG).reason()).isEmpty();
        assertThat(shelf.places.get(Name.of("t" + i))).isEqualTo(random(chunks * CHUNK, i));
      }
      Usage usage = pair.server.usage();
      assertThat(usage.peakGrantedBytes()).isEqualTo(budget);
      assertThat(usage.allocatedBytes()).isLessThanOrEqualTo(budget);
      assertThat(mostLent.get()).isPositive().isLessThanOrEqualTo(budget);
      assertThat(usage.grantedBytes()).isZero();
      assertThat(usage.lentBytes()).isZero();
    }
  }

  @Test
  void cancellingOneTransferDoesNotDisturbTheOthers() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch writing = new CountDownLatch(1);
    Shelf shelf =
        new Shelf(true) {
          @Override
          void put(TransferHeader header, ByteBuffer place, long offset, ByteBuffer bytes)
              throws IOException {
            if (header.name().text().equals("stuck")) {
              writing.countDown();
              await(goOn);
            }
            super.put(header, place, offset, bytes);
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      Transfer stuck = connection.send(header("stuck", 50 * CHUNK), random(50 * CHUNK, 1));
      assertThat(writing.await(20, TimeUnit.SECONDS)).isTrue();
      Transfer other = connection.send(header("other", 50 * CHUNK), random(50 * CHUNK, 2));
      stuck.cancel("It is no longer needed.");
      assertThat(stuck.await(LONG).status()).isEqualTo(Status.CANCELLED);
      assertThat(other.await(LONG).delivered()).isTrue();
      goOn.countDown();
      Transfer again = connection.send(header("stuck", 50 * CHUNK), random(50 * CHUNK, 1));
      assertThat(again.await(LONG).delivered()).isTrue();
      assertThat(shelf.interruptions).containsExactly("CANCELLED at 0: It is no longer needed.");
      assertThat(shelf.asked).containsOnly(TransferProgress.NONE);
    }
  }

  @Test
  void aSinkThatFailsEndsItsOwnTransferWhileMoreOfItIsOnTheWay() throws Exception {
    Shelf shelf =
        new Shelf(true) {
          @Override
          void put(TransferHeader header, ByteBuffer place, long offset, ByteBuffer bytes)
              throws IOException {
            if (header.name().text().startsWith("bad") && offset == 2L * CHUNK) {
              throw new IOException("The disk is full.");
            }
            super.put(header, place, offset, bytes);
          }
        };
    int length = 60 * CHUNK;
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      List<Transfer> bad = new ArrayList<>();
      List<Transfer> good = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        bad.add(connection.send(header("bad" + i, length), random(length, i)));
        good.add(connection.send(header("good" + i, length), random(length, i)));
      }
      for (int i = 0; i < 30; i++) {
        TransferOutcome outcome = bad.get(i).await(LONG);
        assertThat(outcome.status()).isEqualTo(Status.FAILED);
        assertThat(outcome.reason()).contains("The disk is full.");
        assertThat(good.get(i).await(LONG).reason()).isEmpty();
      }
      assertThat(connection.isOpen()).isTrue();
      assertThat(pair.server.usage().grantedBytes()).isZero();
    }
  }

  @Test
  void aFailureToAcceptTheWholeIsTheSendersOutcomeAndNothingIsSentTwice() throws Exception {
    AtomicLong failures = new AtomicLong(1);
    Shelf shelf =
        new Shelf(false) {
          @Override
          public void received(Connection from, TransferHeader header, int crc) throws IOException {
            if (failures.getAndDecrement() > 0) {
              throw new IOException("The disk is full.");
            }
            super.received(from, header, crc);
          }
        };
    ByteBuffer bytes = random(5 * CHUNK, 1);
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      TransferOutcome first = connection.send(header("a", bytes.remaining()), bytes).await(LONG);
      assertThat(first.status()).isEqualTo(Status.FAILED);
      assertThat(first.reason()).contains("The disk is full.");
      TransferOutcome second = connection.send(header("a", bytes.remaining()), bytes).await(LONG);
      assertThat(second.status()).isEqualTo(Status.DELIVERED);
      assertThat(shelf.asked)
          .containsExactly(
              TransferProgress.NONE, new TransferProgress(5L * CHUNK, Crc32c.of(bytes)));
    }
  }

  @Test
  void othersBytesUnderTheSameIdAreNotedWhenATransferGoesOn() throws Exception {
    ByteBuffer bytes = random(5 * CHUNK, 1);
    Handler handler =
        new Handler() {
          @Override
          public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
            return Decision.into(
                new TransferProgress(CHUNK, 42), ByteBuffer.allocateDirect((int) header.length()));
          }
        };
    try (Pair pair = new Pair(handler, OPTIONS);
        Connection connection = pair.connect()) {
      TransferOutcome outcome = connection.send(header("a", bytes.remaining()), bytes).await(LONG);
      assertThat(outcome.status()).isEqualTo(Status.CORRUPT);
      assertThat(outcome.reason()).contains("The first 16384 bytes that the receiver holds");
    }
  }

  @Test
  void refusalsComeWithTheirReason() throws Exception {
    Handler handler =
        new Handler() {
          @Override
          public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
            if (header.name().text().equals("bad")) {
              throw new BadInput("The name (bad) is not a shard.", "Maybe use digits.");
            }
            return header.name().text().equals("short")
                ? Decision.into(soFar, ByteBuffer.allocate(3))
                : header.name().text().equals("have")
                    ? Decision.have()
                    : Decision.refuse("The disk is full.");
          }
        };
    try (Pair pair = new Pair(handler, OPTIONS);
        Connection connection = pair.connect()) {
      TransferOutcome full = connection.send(header("a", CHUNK), random(CHUNK, 1)).await(LONG);
      assertThat(full)
          .isEqualTo(
              new TransferOutcome(Status.REFUSED, TransferProgress.NONE, "The disk is full."));
      TransferOutcome bad = connection.send(header("bad", CHUNK), random(CHUNK, 1)).await(LONG);
      assertThat(bad.reason()).isEqualTo("The name (bad) is not a shard.\nMaybe use digits.");
      TransferOutcome wrong = connection.send(header("short", CHUNK), random(CHUNK, 1)).await(LONG);
      assertThat(wrong.status()).isEqualTo(Status.REFUSED);
      assertThat(wrong.reason()).contains("another length than the 16384 bytes sent");
      TransferOutcome have = connection.send(header("have", CHUNK), random(CHUNK, 1)).await(LONG);
      assertThat(have.status()).isEqualTo(Status.DUPLICATE);
      assertThatThrownBy(() -> connection.send(header("a", 1), random(2, 1)))
          .isInstanceOf(BadInput.class)
          .hasMessageContaining("states 1 bytes, its source has 2");
    }
  }

  @Test
  void whatIsStoredCanBeFetchedWholeOrFromAnOffsetOn() throws Exception {
    Shelf shelf = new Shelf(false);
    ByteBuffer bytes = random(33 * CHUNK + 7, 5);
    Name name = Name.of("kept");
    shelf.places.put(name, bytes);
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      ByteBuffer whole = ByteBuffer.allocateDirect(bytes.remaining());
      Transfer transfer = connection.fetch(name, TransferProgress.NONE, whole);
      assertThat(transfer.await(LONG).status()).isEqualTo(Status.DELIVERED);
      assertThat(transfer.acknowledged()).isEqualTo(bytes.remaining());
      assertThat(whole).isEqualTo(bytes);

      int held = 10 * CHUNK + 1;
      ByteBuffer rest = ByteBuffer.allocateDirect(bytes.remaining());
      rest.duplicate().put(bytes.slice(0, held));
      TransferProgress progress = new TransferProgress(held, Crc32c.of(bytes.slice(0, held)));
      assertThat(connection.fetch(name, progress, rest).await(LONG).delivered()).isTrue();
      assertThat(rest).isEqualTo(bytes);

      ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
      TransferOutcome sunk =
          connection
              .fetch(
                  name,
                  length -> Decision.through(TransferProgress.NONE, (at, piece) -> copy.put(piece)))
              .await(LONG);
      assertThat(sunk.delivered()).isTrue();
      assertThat(copy.flip()).isEqualTo(bytes);

      TransferOutcome none =
          connection.fetch(Name.of("none"), TransferProgress.NONE, rest).await(LONG);
      assertThat(none.status()).isEqualTo(Status.REFUSED);
      assertThat(none.reason()).contains("There is no none here.");
    }
  }

  @Test
  void twoPeersExchangeBothWaysAtOnce() throws Exception {
    Shelf one = new Shelf(false);
    Shelf other = new Shelf(false);
    BlockingQueue<Connection> accepted = new LinkedBlockingQueue<>();
    Shelf greeting =
        new Shelf(false) {
          @Override
          public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
            return one.incoming(from, header, soFar);
          }

          @Override
          public void connected(Connection connection) {
            accepted.add(connection);
          }
        };
    int length = 8 << 20;
    try (Pair pair = new Pair(greeting, other, TransportOptions.usual());
        Connection there = pair.connect()) {
      Connection back = accepted.poll(20, TimeUnit.SECONDS);
      assertThat(back).isNotNull();
      List<Transfer> transfers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        transfers.add(there.send(header("there" + i, length), random(length, i)));
        transfers.add(back.send(header("back" + i, length), random(length, 10L + i)));
      }
      for (Transfer transfer : transfers) {
        assertThat(transfer.await(LONG).delivered()).isTrue();
      }
      for (int i = 0; i < 4; i++) {
        assertThat(one.places.get(Name.of("there" + i))).isEqualTo(random(length, i));
        assertThat(other.places.get(Name.of("back" + i))).isEqualTo(random(length, 10L + i));
      }
    }
  }

  @Test
  void smallRequestsAreAnsweredOrRefused() throws Exception {
    Shelf shelf =
        new Shelf(false) {
          @Override
          public byte[] answer(Connection from, byte[] request) throws IOException {
            if (request.length == 0) {
              throw new BadInput("The request is empty.", "Maybe say something.");
            }
            return super.answer(from, request);
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Connection connection = pair.connect()) {
      assertThat(connection.request(new byte[] {1, 2, 3}).get(20, TimeUnit.SECONDS))
          .containsExactly(3, 2, 1);
      assertThatThrownBy(() -> connection.request(new byte[0]).get(20, TimeUnit.SECONDS))
          .hasRootCauseInstanceOf(IOException.class)
          .hasMessageContaining("The request is empty.");
      assertThatThrownBy(() -> connection.request(new byte[(1 << 18) + 1]))
          .isInstanceOf(BadInput.class);
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
