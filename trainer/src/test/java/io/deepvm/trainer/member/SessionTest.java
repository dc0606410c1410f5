package io.deepvm.trainer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.deepvm.transport.Security;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SessionTest {

  private final AgentChannel agent =
      new AgentChannel(
          InputStream.nullInputStream(),
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
          () -> {});
  private final Peers peers =
      new Peers(
          agent,
          "test",
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          Security.none());

  private Session session(LongSupplier moved) {
    return new Session(agent, peers, 1, Duration.ofMillis(1), moved);
  }

  @AfterEach
  void close() {
    peers.close();
  }

  @Test
  void aWaitGoesOnAsLongAsBytesMove() throws Exception {
    AtomicLong looks = new AtomicLong();
    session(looks::get).await("It did not come.", () -> looks.incrementAndGet() == 50);
    assertThat(looks).hasValue(50);
  }

  @Test
  void whoIsAtWorkSaysSoAgainAndAgainUntilItIsDone() throws Exception {
    CountDownLatch said = new CountDownLatch(3);
    AtWork sign = new AtWork(Duration.ofMillis(1), 1_000_000, said::countDown);
    assertThat(said.await(20, TimeUnit.SECONDS)).isTrue();
    sign.end();
    assertThat(sign.join(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void whoIsAtWorkForTooLongFallsSilent() throws Exception {
    AtomicLong said = new AtomicLong();
    AtWork sign = new AtWork(Duration.ofMillis(1), 3, said::incrementAndGet);
    assertThat(sign.join(Duration.ofSeconds(20))).isTrue();
    assertThat(said).hasValue(3);
  }

  @Test
  void bytesThatMoveAreToldAndWordsAreNot() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AgentChannel told =
        new AgentChannel(
            InputStream.nullInputStream(),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            () -> {});
    AtomicLong looks = new AtomicLong();
    Session still = new Session(told, peers, 1, Duration.ofMillis(1), () -> 7);
    still.await("It did not come.", () -> looks.incrementAndGet() == 4);
    assertThat(out.size()).isZero();
    Session moves = new Session(told, peers, 1, Duration.ofMillis(1), looks::get);
    moves.await("It did not come.", () -> looks.incrementAndGet() == 50);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("{\"report\":\"forming\",\"generation\":1}");
  }

  @Test
  void aWaitWithoutBytesEndsAndNamesNobody() {
    PeerLost lost =
        catchThrowableOfType(
            PeerLost.class, () -> session(() -> 7).await("It did not come.", () -> false));
    assertThat(lost.node()).isEmpty();
    assertThat(lost).hasMessage("It did not come.");
  }
}
