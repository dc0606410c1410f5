package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.transport.Role;
import io.deepvm.transport.Security;
import io.deepvm.transport.Timeouts;
import io.deepvm.transport.Token;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class AnchorSecurityIT {

  private static final String JOB = "job";
  private static final Duration WAIT = Duration.ofSeconds(30);

  /** A machine that is busy is not a failure here. */
  private static final Timeouts PATIENT =
      new Timeouts(
          Duration.ofSeconds(30),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30));

  /** Of the client that is attacked: it soon notices that nothing comes any more. */
  private static final Timeouts QUICK =
      new Timeouts(
          Duration.ofSeconds(2),
          Duration.ofMillis(200),
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(20));

  private static final Security SECRET = Security.of(Token.of("a secret of the tests alone"));

  /** What the client sends before its first frame when nothing is encrypted. */
  private static final int HANDSHAKE_BYTES = 19 + 34 + 32;

  @TempDir private Path folder;

  private AnchorService start(Security security) throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    AnchorService anchor =
        new AnchorService(
            AnchorOptions.of(any, DataSize.parse("8MiB"), folder.resolve("anchor"))
                .withTimeouts(PATIENT)
                .withSecurity(security));
    anchor.start();
    return anchor;
  }

  private static void save(AnchorService anchor, AnchorClient client) throws Exception {
    try (CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of(JOB, Claim.of(1), DataSize.parse("1MiB")),
            List.of(new RemoteTier("anchor", Level.REPLICATED, client)))) {
      engine.start();
      for (int step = 1; step <= 3; step++) {
        TensorSpec tensor = new TensorSpec("weights", DType.I64, List.of(100L));
        Ticket ticket =
            engine.save(
                step,
                TrainingState.replicated(
                    List.of(Slice.whole(tensor, ByteBuffer.allocateDirect(800)))),
                Map.of());
        assertThat(ticket.await(Level.REPLICATED, WAIT)).isTrue();
      }
    }
    assertThat(anchor.awaitIdle(WAIT)).isTrue();
  }

  private static List<Holding> list(AnchorClient client) throws IOException {
    return new RemoteTier("anchor", Level.REPLICATED, client).list(JOB);
  }

  /** Requests that delete all versions from the memory and from the disk. */
  private static byte[] deleteAll() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int stream = 1_000;
    for (int step = 1; step <= 3; step++) {
      for (Level level : List.of(Level.REPLICATED, Level.DURABLE)) {
        Question question = Question.about(Verb.DELETE, level, 0, new Version(JOB, 1, step));
        bytes.writeBytes(request(stream++, question.encode()));
      }
    }
    return bytes.toByteArray();
  }

  /** A frame as docs/explanation/transport.md describes it. */
  private static byte[] request(int stream, byte[] message) {
    ByteBuffer frame = ByteBuffer.allocate(32 + message.length);
    frame.putInt(0x44565431).putInt(8 << 24).putInt(stream).putInt(message.length).putLong(0);
    frame.putInt(crc(message, message.length));
    frame.putInt(crc(frame.array(), 28));
    return frame.put(message).array();
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, length);
    return (int) sum.getValue();
  }

  @Test
  void withoutTlsAnAttackerOnThePathDeletesEverything() throws Exception {
    // The attack works where nothing keeps it out; otherwise the next test would show nothing.
    Security plain = SECRET.unencrypted();
    try (AnchorService anchor = start(plain);
        AnchorClient worker = new AnchorClient(anchor.address(), PATIENT, plain);
        Attacker attacker = new Attacker(anchor.address(), HANDSHAKE_BYTES, deleteAll());
        AnchorClient owner =
            new AnchorClient(attacker.address(), QUICK, plain.as(Role.COORDINATOR))) {
      save(anchor, worker);
      list(owner);
      while (!list(worker).isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {HANDSHAKE_BYTES, 700, 900, 1_200})
  void anAttackerOnThePathDeletesNothing(int after) throws Exception {
    Security encrypted = SECRET.encrypted();
    try (AnchorService anchor = start(encrypted);
        AnchorClient worker = new AnchorClient(anchor.address(), PATIENT, encrypted);
        Attacker attacker = new Attacker(anchor.address(), after, deleteAll());
        AnchorClient owner =
            new AnchorClient(attacker.address(), QUICK, encrypted.as(Role.COORDINATOR))) {
      save(anchor, worker);
      for (int i = 0; i < 10; i++) {
        try {
          list(owner);
        } catch (IOException e) {
          // What is injected ends the connection; that is all it does.
          break;
        }
      }
      attacker.awaitInjected();
      assertThat(list(worker)).hasSize(3);
      assertThat(new RemoteTier("disk", Level.DURABLE, worker).list(JOB)).isNotEmpty();
    }
  }

  @Test
  void deletionsAndClaimsAreInTheAuditLogWithRoleAndAddress() throws Exception {
    try (AnchorService anchor = start(SECRET);
        AnchorClient worker = new AnchorClient(anchor.address(), PATIENT, SECRET);
        AnchorClient owner =
            new AnchorClient(anchor.address(), PATIENT, SECRET.as(Role.COORDINATOR))) {
      save(anchor, worker);
      assertThat(new RemoteTier("anchor", Level.REPLICATED, owner).delete(new Version(JOB, 1, 2)))
          .isTrue();
      assertThatThrownBy(
              () -> new RemoteTier("anchor", Level.REPLICATED, worker).claim(JOB, Claim.of(0)))
          .isInstanceOf(IOException.class);
    }
    Path log = folder.resolve("anchor").resolve("audit.log");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
        .isEqualTo("rw-------");
    List<String> lines = Files.readAllLines(log);
    assertThat(lines).allMatch(line -> line.contains("\"address\":\"127.0.0.1\""));
    assertThat(lines)
        .filteredOn(line -> line.contains("\"CLAIM\"") && line.contains("\"done\""))
        .hasSize(1)
        .allMatch(line -> line.contains("\"role\":\"worker\"") && line.contains("\"job\""));
    assertThat(lines)
        .filteredOn(line -> line.contains("\"CLAIM\"") && line.contains("refused: "))
        .hasSize(1);
    assertThat(lines)
        .filteredOn(
            line ->
                line.contains("\"DELETE\"")
                    && line.contains("\"role\":\"coordinator\"")
                    && line.contains("\"step\":2")
                    && line.contains("\"outcome\":\"done\""))
        .hasSize(1);
  }

  @Test
  void refusedConnectionsAreCounted() throws Exception {
    try (AnchorService anchor = start(SECRET);
        AnchorClient stranger =
            new AnchorClient(
                anchor.address(), QUICK, Security.of(Token.of("another secret, alas, not this")))) {
      assertThatThrownBy(() -> list(stranger)).isInstanceOf(IOException.class);
      while (anchor.figures().refused() == 0) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(anchor.figures().refused()).isEqualTo(1);
    }
  }
}
