package io.deepvm.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.s3.FaultyProxy.Fault;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.ShardWriter;
import io.deepvm.checkpoint.tier.TierContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tier behind a bad network. That all goes well on a good one is the contract's to test. */
class S3FaultsTest {

  private static final int MIB = 1 << 20;
  private static final String JOB = "job";

  private static StoreServer server;
  private static final AtomicInteger FOLDERS = new AtomicInteger();

  private FaultyProxy proxy;
  private S3Tier tier;
  private String prefix;

  @BeforeAll
  static void startServer() throws Exception {
    server = new StoreServer();
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.stop();
  }

  @BeforeEach
  void connect() throws IOException {
    proxy = new FaultyProxy(server.port());
    prefix = "faults/" + FOLDERS.incrementAndGet();
    tier = StoreServer.tier(proxy.endpoint(), prefix);
  }

  @AfterEach
  void disconnect() throws IOException {
    tier.close();
    proxy.stop();
  }

  /** Opens the contract's tools to this class. */
  private abstract static class Tools extends TierContract {

    static void save(S3Tier tier, long step, byte[] bytes) throws IOException {
      save(tier, version(step), bytes);
    }

    static void put(CheckpointWriter writer, byte[] bytes) throws IOException {
      put(writer, name(0, 1), bytes);
    }

    static byte[] read(S3Tier tier, long step, int length) throws IOException {
      try (CheckpointReader reader = tier.read(version(step))) {
        return read(reader, name(0, 1), 0, length);
      }
    }

    static byte[] random(long step, int size) {
      return bytes(step, 0, size);
    }

    static CheckpointWriter write(S3Tier tier, long step) throws IOException {
      return tier.write(version(step), SharedClaim.OWNER);
    }

    static ShardWriter shard(CheckpointWriter writer, int size) throws IOException {
      return writer.shard(name(0, 1), size);
    }

    static void delete(S3Tier tier, long step) throws IOException {
      assertThat(tier.delete(version(step))).isTrue();
    }
  }

  private List<String> partsSent(int number) {
    return proxy.passed().stream()
        .filter(line -> line.startsWith("PUT") && line.contains("partNumber=" + number))
        .toList();
  }

  /** Every request fails the first time it is made. */
  @ParameterizedTest
  @EnumSource(value = Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void whatPassesIsTriedAgain(Fault fault) throws Exception {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    // a client waits long before it troubles a busy server again
    String kind = fault == Fault.BUSY_503 ? "PUT" : "";
    proxy.faults(line -> line.startsWith(kind) && seen.add(line) ? fault : Fault.NONE);
    byte[] bytes = Tools.random(1, 11 * MIB + 5);
    tier.claim(JOB, SharedClaim.of(1));
    Tools.save(tier, 1, bytes);
    assertThat(tier.list(JOB)).singleElement().matches(Holding::complete);
    seen.clear();
    assertThat(Tools.read(tier, 1, bytes.length)).isEqualTo(bytes);
    seen.clear();
    Tools.delete(tier, 1);
    assertThat(tier.list(JOB)).isEmpty();
  }

  @Test
  void anUploadOfADeadClientIsGoneOnWith() throws Exception {
    byte[] bytes = Tools.random(1, 14 * MIB);
    proxy.faults(line -> line.contains("partNumber=3") ? Fault.LOST_REQUEST : Fault.NONE);
    try (CheckpointWriter writer = Tools.write(tier, 1)) {
      assertThatThrownBy(() -> Tools.put(writer, bytes)).isInstanceOf(IOException.class);
    }
    assertThat(partsSent(1)).hasSize(1);
    assertThat(partsSent(2)).hasSize(1);
    assertThat(tier.list(JOB))
        .extracting(Holding::condition)
        .containsExactly(Holding.Condition.UNCOMMITTED);
    proxy.faults(line -> Fault.NONE);
    S3Tier next = StoreServer.tier(proxy.endpoint(), prefix);
    Tools.save(next, 1, bytes);
    assertThat(partsSent(1)).hasSize(1);
    assertThat(partsSent(2)).hasSize(1);
    assertThat(partsSent(3)).hasSize(1);
    assertThat(Tools.read(next, 1, bytes.length)).isEqualTo(bytes);
    next.close();
  }

  @Test
  void whatADeadClientSentOfOtherBytesIsNotUsed() throws Exception {
    byte[] bytes = Tools.random(1, 14 * MIB);
    byte[] others = bytes.clone();
    others[100]++;
    proxy.faults(line -> line.contains("partNumber=3") ? Fault.LOST_REQUEST : Fault.NONE);
    try (CheckpointWriter writer = Tools.write(tier, 1)) {
      assertThatThrownBy(() -> Tools.put(writer, others)).isInstanceOf(IOException.class);
    }
    proxy.faults(line -> Fault.NONE);
    Tools.save(tier, 1, bytes);
    assertThat(partsSent(1)).hasSize(2);
    assertThat(partsSent(2)).hasSize(1);
    assertThat(Tools.read(tier, 1, bytes.length)).isEqualTo(bytes);
  }

  @Test
  void whatIsLeftOfADeadUploadIsDeleted() throws Exception {
    try (CheckpointWriter writer = Tools.write(tier, 1);
        ShardWriter shard = Tools.shard(writer, 14 * MIB)) {
      proxy.faults(line -> line.contains("partNumber=2") ? Fault.LOST_REQUEST : Fault.NONE);
      shard.write(ByteBuffer.wrap(Tools.random(1, 10 * MIB)));
    }
    Tools.delete(tier, 1);
    assertThat(tier.list(JOB)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"ERROR_500", "LOST_REQUEST"})
  void aManifestThatDoesNotArriveIsNoCheckpoint(Fault fault) throws Exception {
    byte[] first = Tools.random(1, 1_000);
    byte[] second = Tools.random(2, 1_000);
    Tools.save(tier, 1, first);
    proxy.faults(
        line -> line.startsWith("PUT") && line.contains("manifest.json") ? fault : Fault.NONE);
    assertThatThrownBy(() -> Tools.save(tier, 2, second)).isInstanceOf(IOException.class);
    assertThat(tier.list(JOB))
        .filteredOn(Holding::complete)
        .singleElement()
        .matches(holding -> holding.version().step() == 1);
    assertThat(Tools.read(tier, 1, 1_000)).isEqualTo(first);
  }

  @Test
  void aCommitWhoseAnswersAreAllLostIsFoundDone() throws Exception {
    byte[] bytes = Tools.random(1, 1_000);
    proxy.faults(
        line ->
            line.startsWith("PUT") && line.contains("manifest.json")
                ? Fault.LOST_ANSWER
                : Fault.NONE);
    Tools.save(tier, 1, bytes);
    assertThat(tier.list(JOB)).singleElement().matches(Holding::complete);
    assertThat(Tools.read(tier, 1, 1_000)).isEqualTo(bytes);
  }

  @Test
  void bodiesThatAlwaysBreakOffFailCleanly() throws Exception {
    Tools.save(tier, 1, Tools.random(1, 3 * MIB));
    proxy.faults(
        line -> line.startsWith("GET") && line.contains("shard-") ? Fault.LOST_ANSWER : Fault.NONE);
    assertThatThrownBy(() -> Tools.read(tier, 1, 3 * MIB)).isInstanceOf(IOException.class);
  }

  @Test
  void memoryIsGivenBackAfterEveryFailure() throws Exception {
    byte[] bytes = Tools.random(1, 14 * MIB);
    proxy.faults(
        line ->
            line.startsWith("PUT") && line.contains("partNumber")
                ? Fault.LOST_REQUEST
                : Fault.NONE);
    for (int i = 0; i < 2; i++) {
      try (CheckpointWriter writer = Tools.write(tier, 1)) {
        assertThatThrownBy(() -> Tools.put(writer, bytes)).isInstanceOf(IOException.class);
      }
    }
    proxy.faults(line -> Fault.NONE);
    Tools.save(tier, 1, bytes);
    assertThat(Tools.read(tier, 1, bytes.length)).isEqualTo(bytes);
  }
}
