package io.deepvm.transport;

import static io.deepvm.transport.Pair.LONG;
import static io.deepvm.transport.Pair.header;
import static io.deepvm.transport.Pair.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.Crc32c;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecurityIT {

  private static final TransportOptions OPTIONS =
      TransportOptions.usual().withToken(Token.of("the secret of both sides"));

  @Test
  void whoKnowsTheTokenGetsIn() throws Exception {
    try (Pair pair = new Pair(new Shelf(false), OPTIONS);
        Connection connection = pair.connect()) {
      assertThat(connection.send(header("a", 9), random(9, 1)).await(LONG).delivered()).isTrue();
    }
  }

  @Test
  void whoDoesNotIsTurnedAwayWithoutAWord() throws Exception {
    try (Pair pair = new Pair(new Shelf(false), OPTIONS);
        TransportClient stranger =
            new TransportClient(OPTIONS.withToken(Token.of("another secret, alas")));
        TransportClient nobody = new TransportClient(TransportOptions.usual())) {
      stranger.start();
      nobody.start();
      assertThatThrownBy(() -> stranger.connect(pair.server.address()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("The other side closed during the handshake");
      assertThatThrownBy(() -> nobody.connect(pair.server.address()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("The other side closed during the handshake");

      // On the wire: the greeting with the nonce comes back, and after a wrong proof nothing.
      try (SocketChannel raw = SocketChannel.open(pair.server.address())) {
        byte[] greeting = new byte["DeepVM transport 3\n".length() + 34];
        ByteBuffer.wrap(greeting).put(Name.of("DeepVM transport 3\n").bytes()).put((byte) 1);
        raw.write(ByteBuffer.wrap(greeting));
        raw.write(ByteBuffer.allocate(32));
        assertThat(readAll(raw)).isEqualTo(greeting.length);
      }
    }
  }

  @Test
  void aServerThatDoesNotKnowTheTokenIsNotBelieved() throws Exception {
    TransportOptions other = OPTIONS.withToken(Token.of("another secret, alas"));
    try (Pair pair = new Pair(new Shelf(false), other);
        TransportClient client = new TransportClient(OPTIONS)) {
      client.start();
      assertThatThrownBy(() -> client.connect(pair.server.address()))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aSecretIsRotatedWhileEndpointsRun(@TempDir Path folder) throws Exception {
    Path onServer = secretFile(folder, "server", "the secret of yesterday");
    Path onClient = secretFile(folder, "client", "the secret of yesterday");
    TransportOptions usual = TransportOptions.usual();
    try (TransportServer server =
            new TransportServer(
                Pair.ANY,
                new Shelf(false),
                usual.withSecurity(Security.of(new TokenFile(onServer))));
        TransportClient client =
            new TransportClient(usual.withSecurity(Security.of(new TokenFile(onClient))))) {
      server.start();
      client.start();
      Connection first = client.connect(server.address());
      secretFile(folder, "server", "the secret of today!!!!");
      assertThat(client.connect(server.address()).isOpen()).isTrue();
      secretFile(folder, "client", "the secret of today!!!!");
      assertThat(client.connect(server.address()).isOpen()).isTrue();
      assertThat(first.request(new byte[] {1}).get(20, TimeUnit.SECONDS)).containsExactly(1);
      secretFile(folder, "client", "the secret of nobody!!!");
      assertThatThrownBy(() -> client.connect(server.address())).isInstanceOf(IOException.class);
    }
  }

  @Test
  void theSecretOfOneRoleDoesNotServeAnother(@TempDir Path folder) throws Exception {
    Token master = Token.of("the secret of both sides");
    Path file = folder.resolve("worker");
    TokenFile.write(file, master, Role.WORKER);
    TokenFile known = new TokenFile(file);
    Secrets forged = (from, to) -> known.between(Role.WORKER, Role.ANCHOR);
    Security worker = Security.of(known).to(Role.ANCHOR);
    TransportOptions usual = TransportOptions.usual();
    CompletableFuture<Role> proven = new CompletableFuture<>();
    Handler handler =
        new Handler() {
          @Override
          public void connected(Connection connection) {
            proven.complete(connection.role());
          }
        };
    try (TransportServer anchor =
            new TransportServer(
                Pair.ANY, handler, usual.withSecurity(Security.of(master).as(Role.ANCHOR)));
        TransportClient client = new TransportClient(usual.withSecurity(worker));
        TransportClient liar =
            new TransportClient(
                usual.withSecurity(Security.of(forged).as(Role.COORDINATOR).to(Role.ANCHOR)));
        TransportClient lost = new TransportClient(usual.withSecurity(worker.to(Role.WORKER)))) {
      anchor.start();
      client.start();
      liar.start();
      lost.start();
      assertThat(client.connect(anchor.address()).role()).isEqualTo(Role.ANCHOR);
      assertThat(proven.get(20, TimeUnit.SECONDS)).isEqualTo(Role.WORKER);
      assertThatThrownBy(() -> liar.connect(anchor.address()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("The other side closed during the handshake");
      assertThatThrownBy(() -> lost.connect(anchor.address()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("of the role anchor, not worker");
    }
  }

  private static Path secretFile(Path folder, String name, String secret) throws IOException {
    Path file = Files.writeString(folder.resolve(name), secret);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void aTokenIsLongAndIsNotPrinted() {
    assertThatThrownBy(() -> Token.of("short")).isInstanceOf(BadInput.class);
    assertThat(OPTIONS.toString()).doesNotContain("the secret");
  }

  @Test
  void aFrameThatIsTooLongIsRefusedBeforeItIsRead() throws Exception {
    try (Pair pair = new Pair(new Shelf(false), TransportOptions.usual());
        Connection other = pair.connect();
        SocketChannel raw = SocketChannel.open(pair.server.address())) {
      greet(raw);
      ByteBuffer head = ByteBuffer.allocate(Frame.BYTES);
      new Frame(Frame.Type.DATA, 1, 0, 1 << 30, 0).encode(head);
      raw.write(head.flip());
      ByteBuffer reply = ByteBuffer.allocate(4096);
      while (raw.read(reply) >= 0) {}
      Frame bye = Frame.decode(reply.flip(), Limits.USUAL);
      assertThat(bye.type()).isEqualTo(Frame.Type.BYE);
      assertThat(Payload.text(reply)).contains("has 1073741824 bytes; at most 2097152 are taken.");
      assertThat(other.request(new byte[] {1}).get(20, TimeUnit.SECONDS)).containsExactly(1);
    }
  }

  @Test
  void aChunkIsNotTakenBeforeTheChecksumOfTheOneBeforeIt() throws Exception {
    Shelf shelf = new Shelf(false);
    int chunk = Limits.USUAL.chunkBytes();
    try (Pair pair = new Pair(shelf, TransportOptions.usual());
        SocketChannel raw = SocketChannel.open(pair.server.address())) {
      greet(raw);
      ByteBuffer start = new Payload.Start(header("a", 3L * chunk), 0).encode();
      write(raw, Frame.of(Frame.Type.START, 1, 0, start), start);
      assertThat(read(raw).type()).isEqualTo(Frame.Type.ACCEPT);
      ByteBuffer bytes = random(chunk, 1);
      write(raw, new Frame(Frame.Type.DATA, 1, 0, chunk, 0), bytes.duplicate());
      write(raw, new Frame(Frame.Type.SUM, 1, 0, 0, Crc32c.of(bytes)), Payload.EMPTY);
      write(raw, new Frame(Frame.Type.DATA, 1, chunk, chunk, 0), bytes.duplicate());
      write(raw, new Frame(Frame.Type.DATA, 1, 2L * chunk, chunk, 0), Payload.EMPTY);
      Frame bye = read(raw);
      assertThat(bye.type()).isEqualTo(Frame.Type.BYE);
      ByteBuffer reason = ByteBuffer.allocate(bye.length());
      while (reason.hasRemaining() && raw.read(reason) >= 0) {}
      assertThat(Payload.text(reason.flip()))
          .isEqualTo("A chunk came before the checksum of the last one.");
      assertThat(shelf.received).isEmpty();
    }
  }

  private static void write(SocketChannel to, Frame frame, ByteBuffer payload) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(Frame.BYTES);
    frame.encode(head);
    head.flip();
    while (head.hasRemaining() || payload.hasRemaining()) {
      to.write(new ByteBuffer[] {head, payload});
    }
  }

  /** Reads a head, and the payload of all but the last frame. */
  private static Frame read(SocketChannel from) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(Frame.BYTES);
    while (head.hasRemaining()) {
      assertThat(from.read(head)).isPositive();
    }
    Frame frame = Frame.decode(head.flip(), Limits.USUAL);
    ByteBuffer payload = ByteBuffer.allocate(frame.type() == Frame.Type.BYE ? 0 : frame.length());
    while (payload.hasRemaining()) {
      assertThat(from.read(payload)).isPositive();
    }
    return frame;
  }

  /** Exchanges greetings without a token. */
  private static void greet(SocketChannel raw) throws IOException {
    byte[] greeting = new byte["DeepVM transport 3\n".length() + 34];
    ByteBuffer.wrap(greeting).put(Name.of("DeepVM transport 3\n").bytes());
    raw.write(ByteBuffer.wrap(greeting));
    ByteBuffer answer = ByteBuffer.allocate(greeting.length);
    while (answer.hasRemaining()) {
      assertThat(raw.read(answer)).isPositive();
    }
  }

  @Test
  void moreConnectionsThanAllowedAreClosedAtOnce() throws Exception {
    TransportOptions one = OPTIONS.withLimits(Limits.USUAL.withConnections(1));
    try (Pair pair = new Pair(new Shelf(false), one);
        Connection first = pair.connect();
        TransportClient another = new TransportClient(OPTIONS)) {
      another.start();
      assertThatThrownBy(() -> another.connect(pair.server.address()))
          .isInstanceOf(IOException.class);
      assertThat(first.request(new byte[] {1}).get(20, TimeUnit.SECONDS)).containsExactly(1);
    }
  }

  @Test
  void whoSaysNothingIsClosedWhenTheHandshakeTakesTooLong() throws Exception {
    Timeouts quick =
        new Timeouts(
            Duration.ofMillis(200),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30));
    try (Pair pair = new Pair(new Shelf(false), OPTIONS.withTimeouts(quick));
        SocketChannel raw = SocketChannel.open(pair.server.address())) {
      assertThat(readAll(raw)).isZero();
    }
  }

  @Test
  void beyondThisMachineATokenOrTlsIsNeeded() {
    InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
    assertThatThrownBy(
            () -> new TransportServer(everywhere, new Shelf(false), TransportOptions.usual()))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("neither a token nor TLS");
    new TransportServer(everywhere, new Shelf(false), OPTIONS).close();
  }

  /** Returns how many bytes come before the end. */
  private static long readAll(SocketChannel from) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(4096);
    long total = 0;
    for (int read = from.read(buffer); read >= 0; read = from.read(buffer.clear())) {
      total += read;
    }
    return total;
  }
}
