package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.WorkerPart;
import io.deepvm.checkpoint.format.Checksums;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Handler;
import io.deepvm.transport.TransportOptions;
import io.deepvm.transport.TransportServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@SuppressWarnings("NullAway.Init")
class RoundsIT {

  private static final OpenRounds.Bounds BOUNDS =
      new OpenRounds.Bounds(3, 100_000, Duration.ofMinutes(30));

  private volatile Instant now = Instant.EPOCH;
  private final BlockingQueue<Question> told = new LinkedBlockingQueue<>();
  private TransportServer worker;
  private AnchorClient client;
  private Connection connection;
  private Rounds rounds;

  @BeforeEach
  void start() throws IOException {
    worker =
        new TransportServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new Handler() {
              @Override
              public byte[] answer(Connection from, byte[] request) {
                told.add(Question.decode(request));
                return new byte[0];
              }
            },
            TransportOptions.usual());
    worker.start();
    client = new AnchorClient(worker.address(), null);
    connection = client.connection();
    rounds = new Rounds(Duration.ofSeconds(20), BOUNDS, () -> now);
  }

  @AfterEach
  void stop() {
    rounds.close();
    client.close();
    worker.close();
  }

  /** Hands in the first of two parts. */
  private void begin(Version version, long bytes) throws IOException {
    Shard shard =
        new Shard(
            new ShardName(0, 2).file(), 0, new Checksums.Builder().build(), List.of(), Map.of());
    rounds.contribute(
        connection,
        "tier",
        new WorkerPart(version, SharedClaim.OWNER, 0, 2, List.of(), shard),
        bytes);
  }

  private static Version version(long generation, long step) {
    return new Version("job", generation, step);
  }

  private void checkTold(Version version, String reason) throws InterruptedException {
    Question question = told.poll(30, TimeUnit.SECONDS);
    assertThat(question).isNotNull();
    assertThat(question.verb()).isEqualTo(Verb.ENDED);
    assertThat(question.version()).isEqualTo(version);
    assertThat(question.reason()).contains(reason);
  }

  @Test
  void aNewGenerationEndsTheRoundsOfTheOneBefore() throws Exception {
    begin(version(1, 5), 10);
    begin(new Version("other", 1, 5), 10);
    begin(version(2, 3), 10);
    checkTold(version(1, 5), "Generation 2 has begun.");
    assertThat(told).isEmpty();
  }

  @Test
  void aRoundThatLastsTooLongEnds() throws Exception {
    begin(version(1, 5), 10);
    now = now.plus(BOUNDS.age());
    begin(version(1, 6), 10);
    rounds.dropOverdue();
    assertThat(told).isEmpty();
    now = now.plusSeconds(1);
    rounds.dropOverdue();
    checkTold(version(1, 5), "did not come in time");
    // a part that comes even later learns it too
    begin(version(1, 5), 10);
    checkTold(version(1, 5), "did not come in time");
    assertThat(told).isEmpty();
  }

  @Test
  void theOldestOfTooManyRoundsEnds() throws Exception {
    for (long step = 1; step <= 5; step++) {
      begin(version(1, step), 10);
    }
    List<Version> ended = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Question question = told.poll(30, TimeUnit.SECONDS);
      assertThat(question).isNotNull();
      assertThat(question.reason()).contains("no room");
      ended.add(question.version());
    }
    // each is told by itself, in any order
    assertThat(ended).containsExactlyInAnyOrder(version(1, 1), version(1, 2));
    assertThat(told).isEmpty();
  }

  @Test
  void theOldestOfTooLargeRoundsEnds() throws Exception {
    begin(version(1, 1), 60_000);
    // the same part again, as after a lost connection, takes the place of the first
    begin(version(1, 1), 30_000);
    checkTold(version(1, 1), "later part");
    begin(version(1, 2), 60_000);
    assertThat(told).isEmpty();
    begin(version(1, 3), 30_000);
    checkTold(version(1, 1), "no room");
    assertThat(told).isEmpty();
  }
}
