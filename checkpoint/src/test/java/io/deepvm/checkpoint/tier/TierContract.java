package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.format.Checksums;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.StoredSlice;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every tier has to do, whatever it is made of. Holds at least 4 MB. */
public abstract class TierContract {

  protected static final String JOB = "job";

  private Tier tier;

  /** Returns a new, empty tier. */
  protected abstract Tier open() throws IOException;

  /** Waits until the tier is done with what it does in the background. */
  protected void settle() throws Exception {}

  @BeforeEach
  void openTier() throws IOException {
    tier = open();
  }

  @AfterEach
  void closeTier() throws IOException {
    tier.close();
  }

  /** Returns bytes for a shard of a step. */
  protected static byte[] bytes(long step, int shard, int size) {
    byte[] bytes = new byte[size];
    new Random(step * 1000 + shard).nextBytes(bytes);
    return bytes;
  }

  /** Returns a version of generation 1. */
  protected static Version version(long step) {
    return new Version(JOB, 1, step);
  }

  /** Returns a manifest about shards with these contents. */
  protected static Manifest manifest(Version version, byte[]... contents) {
    List<TensorSpec> tensors = new ArrayList<>();
    List<Shard> shards = new ArrayList<>();
    for (int i = 0; i < contents.length; i++) {
      Checksums.Builder sums = new Checksums.Builder();
      sums.update(ByteBuffer.wrap(contents[i]));
      tensors.add(new TensorSpec("t" + i, DType.U8, List.of((long) contents[i].length)));
      shards.add(
          new Shard(
              name(i, contents.length),
              contents[i].length,
              sums.build(),
              List.of(new StoredSlice("t" + i, 0, contents[i].length, 0)),
              Map.of()));
    }
    return Manifest.of(version, "2026-11-15T00:00:00Z", tensors, shards);
  }

  protected static String name(int index, int count) {
    return new ShardName(index, count).file();
  }

  /** Writes and seals one shard. */
  protected static void put(CheckpointWriter writer, String name, byte[] bytes) throws IOException {
    try (ShardWriter shard = writer.shard(name, bytes.length)) {
      for (int at = (int) shard.position(); at < bytes.length; at += 10_000) {
        shard.write(ByteBuffer.wrap(bytes, at, Math.min(10_000, bytes.length - at)));
      }
      shard.seal();
    }
  }

  /** Saves a version of one shard. */
  protected static void save(Tier tier, Version version, byte[] bytes) throws IOException {
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      put(writer, name(0, 1), bytes);
      writer.commit(manifest(version, bytes));
    }
  }

  protected static byte[] read(CheckpointReader reader, String shard, long at, int length)
      throws IOException {
    ByteBuffer into = ByteBuffer.allocateDirect(length);
    reader.read(shard, at, into);
    byte[] bytes = new byte[length];
    into.flip().get(bytes);
    return bytes;
  }

  private Holding holding(Version version) throws IOException {
    return tier.list(version.job()).stream()
        .filter(h -> h.version().equals(version))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void nothingIsListedOfAnUnknownJob() throws Exception {
    assertThat(tier.list("nobody")).isEmpty();
    assertThat(tier.generation("nobody")).isZero();
  }

  @Test
  void whatWasCommittedIsReadBack() throws Exception {
    Version version = version(10);
    byte[] first = bytes(10, 0, 100_003);
    byte[] second = bytes(10, 1, 50_001);
    Manifest manifest = manifest(version, first, second);
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      put(writer, name(0, 2), first);
      put(writer, name(1, 2), second);
      writer.commit(manifest);
    }
    assertThat(holding(version).complete()).isTrue();
    try (CheckpointReader reader = tier.read(version)) {
      assertThat(reader.manifest()).isEqualTo(manifest);
      assertThat(read(reader, name(0, 2), 0, first.length)).isEqualTo(first);
      assertThat(read(reader, name(1, 2), 49_000, 1_001))
          .isEqualTo(java.util.Arrays.copyOfRange(second, 49_000, 50_001));
      assertThatThrownBy(() -> read(reader, name(1, 2), 49_000, 1_002))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void severalWritersBringTheShardsOfOneVersion() throws Exception {
    Version version = version(10);
    byte[] first = bytes(10, 0, 1_000);
    byte[] second = bytes(10, 1, 2_000);
    try (CheckpointWriter a = tier.write(version, SharedClaim.OWNER);
        CheckpointWriter b = tier.write(version, SharedClaim.OWNER)) {
      put(a, name(0, 2), first);
      put(b, name(1, 2), second);
      assertThat(a.sealed()).containsExactlyInAnyOrder(name(0, 2), name(1, 2));
      a.commit(manifest(version, first, second));
    }
    assertThat(holding(version).complete()).isTrue();
  }

  @Test
  void withoutAManifestThereIsNoCheckpoint() throws Exception {
    Version version = version(10);
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      put(writer, name(0, 1), bytes(10, 0, 1_000));
    }
    assertThat(holding(version).complete()).isFalse();
    assertThat(holding(version).condition()).isEqualTo(Holding.Condition.UNCOMMITTED);
    assertThatThrownBy(() -> tier.read(version)).isInstanceOf(IOException.class);
  }

  @Test
  void aCommitNeedsEveryShardInFull() throws Exception {
    Version version = version(10);
    byte[] first = bytes(10, 0, 1_000);
    byte[] second = bytes(10, 1, 2_000);
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      put(writer, name(0, 2), first);
      assertThatThrownBy(() -> writer.commit(manifest(version, first, second)))
          .isInstanceOf(IOException.class);
      try (ShardWriter shard = writer.shard(name(1, 2), 2_000)) {
        shard.write(ByteBuffer.wrap(second, 0, 1_999));
        assertThatThrownBy(shard::seal).isInstanceOf(IOException.class);
      }
      assertThatThrownBy(() -> writer.commit(manifest(version, first, second)))
          .isInstanceOf(IOException.class);
      assertThat(holding(version).complete()).isFalse();
      put(writer, name(1, 2), second);
      writer.commit(manifest(version, first, second));
    }
    assertThat(holding(version).complete()).isTrue();
  }

  @Test
  void aCommitNeedsShardsOfTheSizesInTheManifest() throws Exception {
    byte[] bytes = bytes(10, 0, 1_000);
    try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER)) {
      put(writer, name(0, 1), bytes);
      assertThatThrownBy(() -> writer.commit(manifest(version(10), bytes(10, 0, 1_500))))
          .isInstanceOf(IOException.class);
      writer.commit(manifest(version(10), bytes));
    }
    assertThat(holding(version(10)).complete()).isTrue();
  }

  @Test
  void aShardTakesNoMoreThanAnnounced() throws Exception {
    try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER);
        ShardWriter shard = writer.shard(name(0, 1), 10)) {
      assertThatThrownBy(() -> shard.write(ByteBuffer.allocate(11)))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aBrokenOffShardIsGoneOnWith() throws Exception {
    Version version = version(10);
    byte[] bytes = bytes(10, 0, 30_000);
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      try (ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
        shard.write(ByteBuffer.wrap(bytes, 0, 20_000));
      }
      try (ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
        assertThat(shard.position()).isIn(0L, 20_000L);
      }
      put(writer, name(0, 1), bytes);
      writer.commit(manifest(version, bytes));
    }
    try (CheckpointReader reader = tier.read(version)) {
      assertThat(read(reader, name(0, 1), 0, bytes.length)).isEqualTo(bytes);
    }
  }

  @Test
  void aSealedShardMayBeWrittenAgain() throws Exception {
    Version version = version(10);
    byte[] bytes = bytes(10, 0, 30_000);
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      put(writer, name(0, 1), bytes(11, 0, 30_000));
      put(writer, name(0, 1), bytes);
      writer.commit(manifest(version, bytes));
    }
    try (CheckpointReader reader = tier.read(version)) {
      assertThat(read(reader, name(0, 1), 0, bytes.length)).isEqualTo(bytes);
    }
  }

  @Test
  void aCommittedVersionIsNotWrittenAgain() throws Exception {
    save(tier, version(10), bytes(10, 0, 1_000));
    assertThatThrownBy(
            () -> {
              try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER)) {
                put(writer, name(0, 1), bytes(11, 0, 1_000));
              }
            })
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void aWriterThatOnlyLooksLeavesNothing() throws Exception {
    try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER)) {
      assertThat(writer.sealed()).isEmpty();
    }
    assertThat(tier.list(JOB)).isEmpty();
  }

  @Test
  void anOlderGenerationCanNeitherWriteNorCommit() throws Exception {
    tier.claim(JOB, SharedClaim.of(1));
    byte[] bytes = bytes(10, 0, 1_000);
    try (CheckpointWriter zombie = tier.write(version(10), SharedClaim.OWNER)) {
      put(zombie, name(0, 1), bytes);
      tier.claim(JOB, SharedClaim.of(2));
      tier.claim(JOB, SharedClaim.of(2));
      assertThatThrownBy(() -> zombie.commit(manifest(version(10), bytes)))
          .isInstanceOf(StaleGeneration.class);
    }
    assertThat(holding(version(10)).complete()).isFalse();
    assertThatThrownBy(
            () -> {
              try (CheckpointWriter writer = tier.write(version(11), SharedClaim.OWNER)) {
                put(writer, name(0, 1), bytes);
              }
            })
        .isInstanceOf(StaleGeneration.class);
    assertThatThrownBy(() -> tier.claim(JOB, SharedClaim.of(1)))
        .isInstanceOf(StaleGeneration.class);
    assertThat(tier.generation(JOB)).isEqualTo(2);
    save(tier, new Version(JOB, 2, 10), bytes);
    save(tier, new Version("other", 1, 10), bytes);
  }

  @Test
  void aVersionInUseIsNotDeleted() throws Exception {
    byte[] bytes = bytes(10, 0, 1_000);
    save(tier, version(10), bytes);
    try (CheckpointReader reader = tier.read(version(10))) {
      try (CheckpointReader again = tier.read(version(10))) {
        assertThat(again.manifest()).isEqualTo(reader.manifest());
        assertThat(tier.delete(version(10))).isFalse();
      }
      assertThat(tier.delete(version(10))).isFalse();
      assertThat(read(reader, name(0, 1), 0, 1_000)).isEqualTo(bytes);
    }
    try (CheckpointWriter writer = tier.write(version(11), SharedClaim.OWNER)) {
      put(writer, name(0, 1), bytes);
      assertThat(tier.delete(version(11))).isFalse();
      writer.commit(manifest(version(11), bytes));
    }
    settle();
    assertThat(tier.delete(version(10))).isTrue();
    assertThat(tier.delete(version(10))).isTrue();
    assertThat(tier.list(JOB)).extracting(Holding::version).containsExactly(version(11));
  }

  @Test
  void aTierMayHoldOnlySomeShardsOfAVersion() throws Exception {
    Version version = version(10);
    byte[] first = bytes(10, 0, 1_000);
    byte[] second = bytes(10, 1, 2_000);
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      put(writer, name(0, 2), first);
      writer.commit(manifest(version, first, second), Set.of(name(0, 2)));
    }
    assertThat(holding(version).condition()).isEqualTo(Holding.Condition.COMMITTED);
    assertThat(holding(version).missing()).containsExactly(name(1, 2));
    assertThat(holding(version).complete()).isFalse();
  }

  @Test
  void anEmptyShardIsAShard() throws Exception {
    save(tier, version(10), new byte[0]);
    assertThat(holding(version(10)).complete()).isTrue();
  }

  @Test
  void aGenerationBelongsToTheSessionThatClaimedItFirst() throws Exception {
    byte[] bytes = bytes(10, 0, 1_000);
    UUID second = new UUID(2, 2);
    tier.claim(JOB, SharedClaim.of(1));
    tier.claim(JOB, SharedClaim.of(1));
    assertThatThrownBy(() -> tier.claim(JOB, new Claim(1, second)))
        .isInstanceOf(StaleGeneration.class);
    assertThatThrownBy(
            () -> {
              try (CheckpointWriter writer = tier.write(version(10), second)) {
                put(writer, name(0, 1), bytes);
              }
            })
        .isInstanceOf(StaleGeneration.class);
    save(tier, version(10), bytes);
    // the first write of a generation claims it, too
    save(tier, new Version("other", 5, 10), bytes);
    assertThatThrownBy(() -> tier.claim("other", new Claim(5, second)))
        .isInstanceOf(StaleGeneration.class);
    tier.claim(JOB, new Claim(2, second));
    assertThat(tier.generation(JOB)).isEqualTo(2);
  }

  @Test
  void ofSessionsThatClaimOneGenerationTogetherOneGetsIt() throws Exception {
    int sessions = 8;
    for (int generation = 1; generation <= 3; generation++) {
      CyclicBarrier start = new CyclicBarrier(sessions);
      AtomicInteger won = new AtomicInteger();
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < sessions; i++) {
        Claim claim = new Claim(generation, new UUID(generation, i));
        all.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    start.await(30, TimeUnit.SECONDS);
                    tier.claim(JOB, claim);
                    won.incrementAndGet();
                  } catch (StaleGeneration e) {
                    // another one was quicker
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                },
                task -> new Thread(task).start()));
      }
      for (CompletableFuture<Void> each : all) {
        each.get(60, TimeUnit.SECONDS);
      }
      assertThat(won).hasValue(1);
    }
  }

  @Test
  void theShardsOfACommittedVersionAreNotReplaced() throws Exception {
    Version version = version(10);
    byte[] bytes = bytes(10, 0, 30_000);
    byte[] other = bytes(11, 0, 30_000);
    try (CheckpointWriter first = tier.write(version, SharedClaim.OWNER);
        CheckpointWriter second = tier.write(version, SharedClaim.OWNER);
        ShardWriter late = second.shard(name(0, 1), other.length)) {
      put(first, name(0, 1), bytes);
      first.commit(manifest(version, bytes));
      assertThatThrownBy(
              () -> {
                late.write(ByteBuffer.wrap(other));
                late.seal();
              })
          .isInstanceOf(IOException.class);
      assertThatThrownBy(
              () -> {
                put(second, name(0, 1), other);
                second.commit(manifest(version, other));
              })
          .isInstanceOf(FileAlreadyExistsException.class);
      // whoever did not hear the answer may ask again
      first.commit(manifest(version, bytes));
    }
    try (CheckpointReader reader = tier.read(version)) {
      assertThat(reader.manifest()).isEqualTo(manifest(version, bytes));
      assertThat(read(reader, name(0, 1), 0, bytes.length)).isEqualTo(bytes);
    }
  }

  @Test
  void aSessionThatWasTakenOverDeletesNothing() throws Exception {
    save(tier, version(10), bytes(10, 0, 1_000));
    save(tier, version(11), bytes(11, 0, 1_000));
    tier.claim(JOB, new Claim(2, new UUID(2, 2)));
    assertThatThrownBy(() -> tier.delete(version(10), SharedClaim.of(1)))
        .isInstanceOf(StaleGeneration.class);
    assertThatThrownBy(() -> tier.delete(version(10), SharedClaim.of(2)))
        .isInstanceOf(StaleGeneration.class);
    assertThat(holding(version(10)).complete()).isTrue();
    settle();
    assertThat(tier.delete(version(10), new Claim(2, new UUID(2, 2)))).isTrue();
    assertThat(tier.list(JOB)).extracting(Holding::version).containsExactly(version(11));
  }
}
