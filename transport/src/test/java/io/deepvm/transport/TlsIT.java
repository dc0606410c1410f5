package io.deepvm.transport;

import static io.deepvm.transport.Pair.LONG;
import static io.deepvm.transport.Pair.header;
import static io.deepvm.transport.Pair.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsIT {

  private static final Security SECRET = Security.of(Token.of("the secret of both sides"));

  /** What passes before frames: a greeting (19 + 2 + 32 bytes) and a proof. */
  private static final int HANDSHAKE_BYTES = 19 + 34 + 32;

  /** Keeps what it is asked. */
  private static final class Ear implements Handler {
    private final Queue<String> questions = new ConcurrentLinkedQueue<>();

    @Override
    public byte[] answer(Connection from, byte[] request) {
      questions.add(Name.of(request).text());
      return request;
    }
  }

  private static TransportOptions options(Security security) {
    return TransportOptions.usual().withTimeouts(Pair.QUICK).withSecurity(security);
  }

  /** A request of the attacker, which it puts behind the handshake. */
  private static byte[] attack() {
    ByteBuffer payload = ByteBuffer.wrap(Name.of("delete all").bytes());
    ByteBuffer bytes = ByteBuffer.allocate(Frame.BYTES + payload.remaining());
    Frame.of(Frame.Type.REQUEST, 77, 0, payload).encode(bytes);
    return bytes.put(payload).array();
  }

  @Test
  void withoutTlsAnAttackerOnThePathIsObeyed() throws Exception {
    // The attack works where nothing keeps it out; otherwise the next tests would show nothing.
    Ear ear = new Ear();
    TransportOptions plain = options(SECRET.unencrypted());
    try (Pair pair = new Pair(ear, plain);
        Tap tap = new Tap(pair.server.address(), Tap.AS_IT_IS, HANDSHAKE_BYTES, attack());
        Connection connection = pair.client.connect(tap.address())) {
      connection.request(Name.of("list it all").bytes()).get(20, TimeUnit.SECONDS);
      assertThat(ear.questions).contains("delete all");
      assertThat(tap.seen()).contains("DeepVM transport");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, HANDSHAKE_BYTES, 2_000, 3_000})
  void anAttackerOnThePathWhoInjectsFramesIsNotObeyed(int after) throws Exception {
    Ear ear = new Ear();
    Timeouts quick = Pair.QUICK.withHandshake(Duration.ofMillis(1500));
    TransportOptions tls = options(SECRET.encrypted()).withTimeouts(quick);
    try (Pair pair = new Pair(ear, tls);
        Tap tap = new Tap(pair.server.address(), Tap.AS_IT_IS, after, attack())) {
      try (Connection connection = pair.client.connect(tap.address())) {
        for (int i = 0; i < 100; i++) {
          connection.request(Name.of("list it all").bytes()).get(20, TimeUnit.SECONDS);
        }
      } catch (Exception refused) {
        // Injected bytes end the connection; that is all they do.
      }
      assertThat(ear.questions).doesNotContain("delete all");
      assertThat(tap.seen()).doesNotContain("DeepVM transport").doesNotContain("list it all");
    }
  }

  @Test
  void anAttackerOnThePathWithACertificateOfItsOwnIsRefused() throws Exception {
    Ear ear = new Ear();
    TransportOptions tls = options(SECRET.encrypted());
    try (Pair pair = new Pair(ear, tls);
        Tap tap = new Tap(pair.server.address(), Tap.ownCertificate(), HANDSHAKE_BYTES, attack())) {
      assertThatThrownBy(() -> pair.client.connect(tap.address())).isInstanceOf(IOException.class);
      // The attacker read the greetings, which are no secret, and got no further.
      assertThat(tap.seen()).contains("DeepVM transport");
      assertThat(ear.questions).isEmpty();
      assertThat(pair.connect().request(new byte[] {1}).get(20, TimeUnit.SECONDS))
          .containsExactly(1);
      assertThat(ear.questions).hasSize(1);
    }
  }

  @Test
  void beyondLoopbackTlsIsOnByItself() throws Exception {
    InetAddress outside = outside();
    Shelf shelf = new Shelf(false);
    try (TransportServer server =
            new TransportServer(new InetSocketAddress(outside, 0), shelf, options(SECRET));
        TransportClient client = new TransportClient(options(SECRET));
        TransportClient plain = new TransportClient(options(SECRET.unencrypted()))) {
      server.start();
      client.start();
      plain.start();
      int length = (3 << 20) + 1;
      ByteBuffer bytes = random(length, 1);
      Connection connection = client.connect(server.address());
      assertThat(connection.send(header("a", length), bytes).await(LONG).delivered()).isTrue();
      assertThat(shelf.places.get(Name.of("a"))).isEqualTo(bytes);
      assertThatThrownBy(() -> plain.connect(server.address())).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aServerOnAllAddressesSpeaksPlainOnLoopbackAndTlsBeyond() throws Exception {
    InetAddress outside = outside();
    try (TransportServer server =
            new TransportServer(new InetSocketAddress(0), new Ear(), options(SECRET));
        TransportClient client = new TransportClient(options(SECRET));
        TransportClient plain = new TransportClient(options(SECRET.unencrypted()))) {
      server.start();
      client.start();
      plain.start();
      int port = server.address().getPort();
      InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      assertThat(client.connect(local).isOpen()).isTrue();
      assertThat(plain.connect(local).isOpen()).isTrue();
      InetSocketAddress beyond = new InetSocketAddress(outside, port);
      assertThat(client.connect(beyond).isOpen()).isTrue();
      assertThatThrownBy(() -> plain.connect(beyond)).isInstanceOf(IOException.class);
    }
  }

  private static InetAddress outside() throws IOException {
    Optional<InetAddress> found =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
            .findFirst();
    assumeTrue(found.isPresent(), "This machine has no address beyond loopback.");
    return found.orElseThrow();
  }

  @Test
  void withCertificatesGivenBothSidesNeedOne(@TempDir Path folder) throws Exception {
    PemFiles.keytool(folder, "server", "RSA");
    PemFiles.make(folder, "client");
    PemFiles.make(folder, "other");
    Files.writeString(
        folder.resolve("both.pem"),
        Files.readString(folder.resolve("server.pem"))
            + Files.readString(folder.resolve("client.pem")));
    Security trusting = Security.none().withAuthority(folder.resolve("both.pem"));
    try (TransportServer server =
            new TransportServer(Pair.ANY, new Ear(), options(with(trusting, folder, "server")));
        TransportClient client = new TransportClient(options(with(trusting, folder, "client")));
        TransportClient stranger = new TransportClient(options(with(trusting, folder, "other")));
        TransportClient nobody = new TransportClient(options(trusting))) {
      server.start();
      client.start();
      stranger.start();
      nobody.start();
      assertThat(client.connect(server.address()).request(new byte[] {1}).get(20, TimeUnit.SECONDS))
          .containsExactly(1);
      assertThatThrownBy(() -> stranger.connect(server.address())).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> nobody.connect(server.address())).isInstanceOf(IOException.class);
    }
  }

  private static Security with(Security security, Path folder, String name) {
    return security.withCertificate(folder.resolve(name + ".pem"), folder.resolve(name + ".key"));
  }

  @Test
  void aServerWhoseCertificateIsNotTrustedIsNotBelieved(@TempDir Path folder) throws Exception {
    PemFiles.make(folder, "server");
    PemFiles.make(folder, "other");
    try (TransportServer server =
            new TransportServer(Pair.ANY, new Ear(), options(with(SECRET, folder, "server")));
        TransportClient client =
            new TransportClient(options(SECRET.withAuthority(folder.resolve("server.pem"))));
        TransportClient careful =
            new TransportClient(options(SECRET.withAuthority(folder.resolve("other.pem"))))) {
      server.start();
      client.start();
      careful.start();
      assertThat(client.connect(server.address()).isOpen()).isTrue();
      assertThatThrownBy(() -> careful.connect(server.address())).isInstanceOf(IOException.class);
    }
  }

  @Test
  void filesThatHoldNoKeyOrCertificateAreRefusedWithAWayOut(@TempDir Path folder) throws Exception {
    PemFiles.make(folder, "server");
    PemFiles.keytool(folder, "other", "RSA");
    Path pem = folder.resolve("server.pem");
    Path key = folder.resolve("server.key");
    assertThatThrownBy(() -> SECRET.withCertificate(key, key))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("holds no X.509 certificate");
    assertThatThrownBy(() -> SECRET.withCertificate(pem, folder.resolve("other.key")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("holds no key of the kind EC");
    assertThatThrownBy(() -> SECRET.withCertificate(pem, pem))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("open to other users");
    assertThatThrownBy(() -> SECRET.withAuthority(folder.resolve("none")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("cannot be read");
  }
}
