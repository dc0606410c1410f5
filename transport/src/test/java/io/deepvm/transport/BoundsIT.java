package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BoundsIT {

  private static final TransportOptions OPTIONS =
      TransportOptions.usual().withToken(Token.of("the secret of both sides"));

  /** Answers all questions with the longest message there is. */
  private static final class Talker implements io.deepvm.transport.Handler {
    private final AtomicInteger answers = new AtomicInteger();
    private final CompletableFuture<Connection> connection = new CompletableFuture<>();
    private final CompletableFuture<Void> last = new CompletableFuture<>();

    @Override
    public void connected(Connection made) {
      connection.complete(made);
    }

    @Override
    public byte[] answer(Connection from, byte[] request) {
      answers.incrementAndGet();
      return new byte[Limits.USUAL.messageBytes()];
    }

    @Override
    public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
      last.complete(null);
      return Decision.refuse("It is only a sign.");
    }
  }

  @Test
  void aPeerThatDoesNotReadItsAnswersCannotFillTheMemory() throws Exception {
    Talker talker = new Talker();
    try (Pair pair = new Pair(talker, TransportOptions.usual());
        SocketChannel raw = SocketChannel.open(pair.server.address())) {
      greet(raw);
      ByteBuffer question = ByteBuffer.allocate(1);
      int requests = 1_000;
      for (int i = 1; i <= requests; i++) {
        int before = talker.answers.get();
        write(raw, Frame.of(Frame.Type.REQUEST, i, 0, question), question.duplicate());
        // Of many requests at once most would be refused, and nothing would fill up.
        for (int ms = 0; ms < 3 && talker.answers.get() == before; ms++) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
      ByteBuffer start = new Payload.Start(Pair.header("a", 1), 0).encode();
      write(raw, Frame.of(Frame.Type.START, requests + 1, 0, start), start);
      talker.last.get(20, TimeUnit.SECONDS);
      // What was answered is in the sockets' buffers, or among the 16 that may wait.
      assertThat(talker.answers).hasValueLessThan(200);
      Limits limits = Limits.USUAL;
      assertThat(talker.connection.get(20, TimeUnit.SECONDS).outbox().heldBytes())
          .isLessThan(2L * limits.requests() * (limits.messageBytes() + 128) + (1 << 20));
    }
  }

  @Test
  void aPeerThatNeverReadsLosesItsConnection() throws Exception {
    Talker talker = new Talker();
    try (Pair pair = new Pair(talker, TransportOptions.usual());
        SocketChannel raw = SocketChannel.open(pair.server.address())) {
      greet(raw);
      ByteBuffer question = ByteBuffer.allocate(1);
      Connection there = talker.connection.get(20, TimeUnit.SECONDS);
      try {
        for (int i = 1; !there.endReason().contains("does not read"); i++) {
          write(raw, Frame.of(Frame.Type.REQUEST, i, 0, question), question.duplicate());
        }
      } catch (IOException closed) {
        // It was closed while this side wrote.
      }
      assertThat(there.endReason()).contains("does not read what it asked for");
      assertThat(talker.answers).hasValueLessThan(200);
    }
  }

  @Test
  void ourOwnRequestsToAPeerThatDoesNotReadFailAlone() throws Exception {
    CompletableFuture<Connection> made = new CompletableFuture<>();
    io.deepvm.transport.Handler handler =
        new io.deepvm.transport.Handler() {
          @Override
          public void connected(Connection connection) {
            made.complete(connection);
          }
        };
    try (Pair pair = new Pair(handler, TransportOptions.usual());
        SocketChannel raw = SocketChannel.open(pair.server.address())) {
      greet(raw);
      Connection there = made.get(20, TimeUnit.SECONDS);
      byte[] question = new byte[Limits.USUAL.messageBytes()];
      CompletableFuture<byte[]> answer = there.request(question);
      while (!answer.isCompletedExceptionally()) {
        answer = there.request(question);
        // Failures come from a worker, so the one before last is looked at, too.
        answer = answer.completeOnTimeout(new byte[0], 1, TimeUnit.MILLISECONDS);
        try {
          answer.get(20, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
          assertThat(e.getCause()).hasMessageContaining("does not read what is asked");
        }
      }
      assertThat(there.isOpen()).isTrue();
      assertThat(there.outbox().heldBytes()).isLessThan(16L * (question.length + 128));
    }
  }

  @Test
  void strangersWhoProveNothingDoNotTakeTheRoomOfOthers() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (Pair pair = new Pair(new Shelf(false), OPTIONS)) {
      InetSocketAddress address = pair.server.address();
      CompletableFuture<Void> filled = new CompletableFuture<>();
      Thread attacker = new Thread(() -> squat(address, filled, over), "attacker");
      attacker.start();
      filled.get(20, TimeUnit.SECONDS);
      try (TransportClient client = new TransportClient(OPTIONS)) {
        client.start();
        List<Connection> friends = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          friends.add(connect(client, address));
        }
        assertThat(friends).allMatch(Connection::isOpen);
        assertThat(pair.server.usage().connections()).isLessThanOrEqualTo(100 + Unproven.MOST);
        assertThat(pair.server.usage().refused()).isPositive();
      } finally {
        over.set(true);
        attacker.join();
      }
    }
  }

  private static Connection connect(TransportClient client, InetSocketAddress to)
      throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return client.connect(to);
      } catch (IOException e) {
        if (attempt == 5) {
          throw e;
        }
      }
    }
  }

  /** Keeps 300 silent connections and renews them. */
  private static void squat(
      InetSocketAddress address, CompletableFuture<Void> filled, AtomicBoolean over) {
    Deque<SocketChannel> silent = new ArrayDeque<>();
    try {
      while (!over.get()) {
        silent.add(SocketChannel.open(address));
        if (silent.size() > 300) {
          filled.complete(null);
          silent.remove().close();
          Thread.sleep(1);
        }
      }
      for (SocketChannel channel : silent) {
        channel.close();
      }
    } catch (IOException | InterruptedException e) {
      filled.completeExceptionally(e);
    }
  }

  @Test
  void oneAddressCannotTakeThePlacesOfAllUnprovenConnections() throws Exception {
    Timeouts patient = Timeouts.USUAL.withHandshake(Duration.ofMinutes(1));
    try (Pair pair = new Pair(new Shelf(false), OPTIONS.withTimeouts(patient))) {
      List<SocketChannel> silent = new ArrayList<>();
      for (int i = 0; i < 3 * Unproven.MOST; i++) {
        silent.add(SocketChannel.open(pair.server.address()));
      }
      while (pair.server.usage().refused() < 3L * Unproven.MOST - Unproven.MOST_OF_ONE_ADDRESS) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(pair.server.usage().connections()).isEqualTo(Unproven.MOST_OF_ONE_ADDRESS);
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
  }

  @Test
  void aPeerInTheMiddleOfItsTlsHandshakeDoesNotLeaveForSilentOnes() throws Exception {
    TransportOptions tls =
        OPTIONS
            .withSecurity(Security.of(Token.of("the secret of both sides")).encrypted())
            .withTimeouts(Timeouts.USUAL.withHandshake(Duration.ofMinutes(1)));
    try (Pair pair = new Pair(new Shelf(false), tls);
        SocketChannel friend = SocketChannel.open(pair.server.address())) {
      friend.write(ByteBuffer.wrap(clientHello()));
      // The answer has begun, and the friend takes its time to go on.
      assertThat(friend.read(ByteBuffer.allocate(1))).isEqualTo(1);
      List<SocketChannel> silent = new ArrayList<>();
      for (int i = 0; i < Unproven.MOST_OF_ONE_ADDRESS + 10; i++) {
        silent.add(SocketChannel.open(pair.server.address()));
      }
      while (pair.server.usage().refused() < 11) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      friend.configureBlocking(false);
      ByteBuffer answer = ByteBuffer.allocate(1 << 16);
      int read = friend.read(answer);
      while (read > 0) {
        read = friend.read(answer.clear());
      }
      assertThat(read).as("-1 is the end of the connection").isZero();
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
  }

  /** Returns the first message of a client that speaks TLS. */
  private static byte[] clientHello() throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), hello);
    byte[] bytes = new byte[hello.flip().remaining()];
    hello.get(bytes);
    return bytes;
  }

  @Test
  void aStrangerWhoSpeaksSlowlyIsClosedAtTheDeadlineOfTheHandshake() throws Exception {
    Timeouts quick = Pair.QUICK.withHandshake(Duration.ofMillis(500));
    try (Pair pair = new Pair(new Shelf(false), OPTIONS.withTimeouts(quick));
        SocketChannel raw = SocketChannel.open(pair.server.address())) {
      byte[] greeting = Name.of("DeepVM transport 3\n").bytes();
      long begin = System.nanoTime();
      try {
        for (int i = 0; pair.server.usage().refused() == 0; i++) {
          raw.write(ByteBuffer.wrap(greeting, i % greeting.length, 1));
          TimeUnit.MILLISECONDS.sleep(50);
        }
      } catch (IOException closed) {
        // As it should be.
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
    }
  }

  @Test
  void refusedProofsAreCountedAndLoggedButNotEachOfThem() throws Exception {
    List<String> lines = new ArrayList<>();
    Handler listener =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            synchronized (lines) {
              lines.add(line.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(Refusals.class.getName());
    log.addHandler(listener);
    try (Pair pair = new Pair(new Shelf(false), OPTIONS);
        TransportClient stranger =
            new TransportClient(OPTIONS.withToken(Token.of("another secret, alas")))) {
      stranger.start();
      for (int i = 0; i < 5; i++) {
        try {
          stranger.connect(pair.server.address());
        } catch (IOException refused) {
          // As it should be.
        }
      }
      while (pair.server.usage().refused() < 5) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(pair.server.usage().refused()).isEqualTo(5);
      synchronized (lines) {
        assertThat(lines).hasSize(1);
      }
    } finally {
      log.removeHandler(listener);
    }
  }

  @Test
  void theLogTellsOfAllRefusalsSinceTheLastLine() {
    List<Object[]> lines = new ArrayList<>();
    AtomicLong now = new AtomicLong();
    Refusals refusals = new Refusals(now::get);
    Handler listener =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getParameters());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(Refusals.class.getName());
    log.addHandler(listener);
    try {
      InetSocketAddress from = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
      for (int i = 0; i < 10; i++) {
        refusals.add(from, "no");
      }
      assertThat(lines).hasSize(1);
      now.set(Refusals.PAUSE.toNanos() + 1);
      refusals.add(from, "no");
      assertThat(lines).hasSize(2);
      assertThat(lines.get(1)).contains(10L);
      assertThat(refusals.total()).isEqualTo(11);
    } finally {
      log.removeHandler(listener);
    }
  }

  @Test
  void theWatchdogOfConnectionsSurvivesAnyError() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    AtomicBoolean failing = new AtomicBoolean();
    TransportOptions options =
        OPTIONS.withTimeouts(Pair.QUICK.withHandshake(Duration.ofMillis(500)));
    TransportOptions broken =
        new TransportOptions(
            options.security(),
            options.limits(),
            options.timeouts(),
            options.generations(),
            () -> {
              if (failing.get() && Thread.currentThread().getName().contains("ticker")) {
                failures.incrementAndGet();
                throw new OutOfMemoryError("only for the test");
              }
              return System.nanoTime();
            },
            options.threads());
    try (Pair pair = new Pair(new Shelf(false), broken);
        SocketChannel silent = SocketChannel.open(pair.server.address())) {
      failing.set(true);
      while (failures.get() < 3) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      failing.set(false);
      // Somebody still looks at the clock: who says nothing is closed.
      assertThat(silent.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  private static void greet(SocketChannel raw) throws IOException {
    byte[] greeting = new byte["DeepVM transport 3\n".length() + 34];
    ByteBuffer.wrap(greeting).put(Name.of("DeepVM transport 3\n").bytes());
    raw.write(ByteBuffer.wrap(greeting));
    ByteBuffer answer = ByteBuffer.allocate(greeting.length);
    while (answer.hasRemaining()) {
      assertThat(raw.read(answer)).isPositive();
    }
  }

  private static void write(SocketChannel to, Frame frame, ByteBuffer payload) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Frame.BYTES + payload.remaining());
    frame.encode(bytes);
    bytes.put(payload).flip();
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }
}
