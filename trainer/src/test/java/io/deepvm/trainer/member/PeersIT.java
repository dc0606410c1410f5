package io.deepvm.trainer.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.transport.Security;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeersIT {

  private static final int FLOATS = 1 << 20;

  /** A member that has bytes and takes bytes. */
  private static final class One implements Conversation, AutoCloseable {

    private final Peers peers;
    private final ByteBuffer bytes = Floats.allocate(FLOATS);
    private final CompletableFuture<Long> movedAtFirst = new CompletableFuture<>();

    One(Security security) {
      peers =
          new Peers(
              new AgentChannel(
                  InputStream.nullInputStream(),
                  new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                  () -> {}),
              "it",
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              security);
    }

    @Override
    public byte[] answer(byte[] question) {
      return question;
    }

    @Override
    public ByteBuffer[] place(long generation, String name) {
      return new ByteBuffer[] {bytes.duplicate()};
    }

    @Override
    public void arrived(long generation, String name, long offset, int length) {
      movedAtFirst.complete(peers.moved());
    }

    @Override
    public void received(long generation, String name) {}

    @Override
    public ByteBuffer[] find(String name) {
      return new ByteBuffer[] {bytes.duplicate()};
    }

    @Override
    public void close() {
      peers.close();
    }
  }

  private One one = new One(Security.none());
  private One other = new One(Security.none());

  /** Returns how the two know each other. */
  Security security() {
    return Security.none();
  }

  @BeforeEach
  void form() throws Exception {
    one = new One(security());
    other = new One(security());
    List<Member> members =
        List.of(
            new Member("one", Role.WORKER, "127.0.0.1", one.peers.start(one), ""),
            new Member("other", Role.WORKER, "127.0.0.1", other.peers.start(other), ""));
    one.peers.form(new Order.Form(1, 0, members), to -> true);
    other.peers.form(new Order.Form(1, 1, members), to -> true);
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
  }

  private static <T> T soon(CompletableFuture<T> what) throws Exception {
    return what.get(60, TimeUnit.SECONDS);
  }

  @Test
  void whoWaitsHearsThatAnotherIsAtWork() throws Exception {
    one.peers.reportAtWork();
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (other.peers.reportsOfWork() == 0 && System.nanoTime() < until) {
      Thread.sleep(5);
    }
    assertThat(other.peers.reportsOfWork()).isOne();
    assertThat(one.peers.reportsOfWork()).isZero();
  }

  @Test
  void bytesThatAreSentMoveAtBothEndsBeforeAllHaveCome() throws Exception {
    CompletableFuture<Boolean> delivered = new CompletableFuture<>();
    one.peers.send(1, "x", one.bytes, () -> delivered.complete(true));
    assertThat(soon(other.movedAtFirst)).isPositive().isLessThan(FLOATS * Float.BYTES);
    soon(delivered);
    assertThat(one.peers.moved()).isGreaterThanOrEqualTo(FLOATS * Float.BYTES);
    assertThat(other.peers.moved()).isEqualTo(FLOATS * Float.BYTES);
  }

  @Test
  void bytesThatAreFetchedMoveAtBothEnds() throws Exception {
    assertThat(soon(one.peers.fetch(1, "x", one.bytes.duplicate()))).isTrue();
    assertThat(one.peers.moved()).isGreaterThanOrEqualTo(FLOATS * Float.BYTES);
    assertThat(other.peers.moved()).isEqualTo(FLOATS * Float.BYTES);
  }
}
