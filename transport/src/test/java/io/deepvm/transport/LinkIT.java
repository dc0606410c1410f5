package io.deepvm.transport;

import static io.deepvm.transport.Pair.header;
import static io.deepvm.transport.Pair.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LinkIT {

  private static final int CHUNK = 64 << 10;
  private static final int LENGTH = 100 * CHUNK;
  private static final TransportOptions OPTIONS =
      TransportOptions.usual()
          .withTimeouts(Pair.QUICK)
          .withLimits(Limits.USUAL.withChunkBytes(CHUNK));
  private static final Backoff SHORT =
      new Backoff(Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofSeconds(10));

  @Test
  void aTransferOutlivesSeveralConnections() throws Exception {
    CompletableFuture<Relay> wire = new CompletableFuture<>();
    AtomicInteger cuts = new AtomicInteger(3);
    Shelf shelf =
        new Shelf(false) {
          @Override
          public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
            if (cuts.getAndDecrement() > 0) {
              wire.join().cutAfter(30 * CHUNK);
            }
            return super.incoming(from, header, soFar);
          }
        };
    AtomicInteger closes = new AtomicInteger();
    ByteBuffer bytes = random(LENGTH, 1);
    Source source =
        new Source() {
          private final Source inner = Source.of(bytes);

          @Override
          public long length() {
            return LENGTH;
          }

          @Override
          public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) throws IOException {
            return inner.read(offset, length, scratch);
          }

          @Override
          public void close() {
            closes.incrementAndGet();
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        Relay relay = new Relay(pair.server.address());
        PersistentLink link = new PersistentLink(pair.client, relay.address(), SHORT)) {
      wire.complete(relay);
      assertThat(link.send(header("a", LENGTH), source).status()).isEqualTo(Status.DELIVERED);
      assertThat(shelf.asked).hasSize(4);
      assertThat(relay.sent()).isLessThan(2L * LENGTH);
      assertThat(shelf.places.get(Name.of("a"))).isEqualTo(bytes);
      assertThat(closes).hasValue(1);
      assertThat(link.send(header("a", LENGTH), bytes).status()).isEqualTo(Status.DUPLICATE);
    }
  }

  @Test
  void aFetchOutlivesItsConnection() throws Exception {
    AtomicInteger cuts = new AtomicInteger(1);
    ByteBuffer bytes = random(LENGTH, 1);
    Shelf shelf =
        new Shelf(false) {
          @Override
          public Source outgoing(Connection to, Name name) {
            return new Source() {
              @Override
              public long length() {
                return LENGTH;
              }

              @Override
              public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) {
                if (offset == 50L * CHUNK && cuts.getAndDecrement() > 0) {
                  to.close();
                }
                return new ByteBuffer[] {bytes.slice((int) offset, length)};
              }
            };
          }
        };
    try (Pair pair = new Pair(shelf, OPTIONS);
        PersistentLink link = new PersistentLink(pair.client, pair.server.address(), SHORT)) {
      ByteBuffer target = ByteBuffer.allocateDirect(LENGTH);
      assertThat(link.fetch(Name.of("a"), target).status()).isEqualTo(Status.DELIVERED);
      assertThat(target).isEqualTo(bytes);
      assertThat(cuts.get()).isLessThanOrEqualTo(0);
    }
  }

  @Test
  void patienceEnds() throws Exception {
    InetSocketAddress gone;
    try (Pair pair = new Pair(new Shelf(false), OPTIONS)) {
      gone = pair.server.address();
    }
    try (TransportClient client = new TransportClient(OPTIONS);
        PersistentLink link =
            new PersistentLink(
                client,
                gone,
                new Backoff(Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofMillis(60)))) {
      client.start();
      TransferOutcome outcome = link.send(header("a", CHUNK), random(CHUNK, 1));
      assertThat(outcome.status()).isEqualTo(Status.INTERRUPTED);
      assertThat(outcome.reason()).startsWith("No connection to ");
    }
  }
}
