package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTierTest extends TierContract {

  @TempDir Path folder;

  @Override
  protected Tier open() {
    return new DirectoryTier("disk", Level.DURABLE, folder.resolve("new/checkpoints"));
  }

  private Path file(String name) {
    return folder.resolve(JOB).resolve(version(10).folder()).resolve(name);
  }

  @Test
  void anotherTierOnTheSameFolderSeesTheSame() throws Exception {
    DirectoryTier mine = new DirectoryTier("a", Level.DURABLE, folder);
    DirectoryTier other = new DirectoryTier("b", Level.DURABLE, folder);
    save(mine, version(10), bytes(10, 0, 1_000));
    mine.fence(JOB, 4);
    assertThat(other.generation(JOB)).isEqualTo(4);
    try (CheckpointReader reader = other.read(version(10))) {
      assertThat(mine.delete(version(10))).isFalse();
      assertThat(read(reader, name(0, 1), 0, 1_000)).isEqualTo(bytes(10, 0, 1_000));
    }
  }

  @Test
  void whatWasAcceptedElsewhereIsTakenWhateverGenerationIsAnnounced() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    tier.fence(JOB, 2);
    byte[] bytes = bytes(10, 0, 1_000);
    try (CheckpointWriter writer = tier.writeAccepted(version(10))) {
      put(writer, name(0, 1), bytes);
      tier.fence(JOB, 3);
      writer.commit(manifest(version(10), bytes));
    }
    assertThat(tier.list(JOB)).singleElement().matches(Holding::complete);
    assertThatThrownBy(() -> tier.write(version(11))).isInstanceOf(StaleGeneration.class);
  }

  @Test
  void aShardThatLostItsEndIsDamage() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, version(10), bytes(10, 0, 1_000));
    try (var channel = Files.newByteChannel(file(name(0, 1)), StandardOpenOption.WRITE)) {
      channel.truncate(999);
    }
    assertThat(tier.list(JOB))
        .extracting(Holding::condition)
        .containsExactly(Holding.Condition.DAMAGED);
  }

  @Test
  void aManifestThatLostItsEndIsDamageAndNotLeftOver() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, version(10), bytes(10, 0, 1_000));
    byte[] bytes = Files.readAllBytes(file(Manifest.FILE));
    Files.write(file(Manifest.FILE), java.util.Arrays.copyOf(bytes, bytes.length / 2));
    assertThat(tier.list(JOB))
        .extracting(Holding::condition)
        .containsExactly(Holding.Condition.DAMAGED);
    assertThatThrownBy(() -> tier.read(version(10))).isInstanceOf(CorruptCheckpoint.class);
  }

  @Test
  void aManifestOfAnotherVersionIsDamage() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, version(10), bytes(10, 0, 1_000));
    Path moved = folder.resolve(JOB).resolve(version(11).folder());
    Files.move(file(Manifest.FILE).getParent(), moved);
    assertThat(tier.list(JOB))
        .extracting(Holding::condition)
        .containsExactly(Holding.Condition.DAMAGED);
  }

  @Test
  void strangersInTheFolderAreLeftAlone() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, version(10), bytes(10, 0, 1_000));
    Files.createDirectories(folder.resolve(JOB).resolve("notes"));
    Files.writeString(folder.resolve(JOB).resolve("step-9"), "a file");
    assertThat(tier.list(JOB)).hasSize(1);
  }

  @Test
  void whatThisProcessDidNotWriteIsNotGoneOnWith() throws Exception {
    byte[] bytes = bytes(10, 0, 30_000);
    try (CheckpointWriter writer =
        new DirectoryTier("old", Level.DURABLE, folder).write(version(10))) {
      try (ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
        shard.write(ByteBuffer.wrap(bytes, 0, 20_000));
      }
      try (ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
        assertThat(shard.position()).isEqualTo(20_000);
      }
    }
    try (CheckpointWriter writer =
            new DirectoryTier("new", Level.DURABLE, folder).write(version(10));
        ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
      assertThat(shard.position()).isZero();
    }
  }

  @Test
  void afterAWriteErrorTheShardBeginsAnew() throws Exception {
    AtomicBoolean full = new AtomicBoolean(true);
    DirectoryTier tier =
        new DirectoryTier(
            "disk",
            Level.DURABLE,
            folder,
            point -> {
              if (full.get() && point == FaultPoint.MID_SHARD_WRITE) {
                throw new IOException("No space left on device");
              }
            });
    byte[] bytes = bytes(10, 0, 30_000);
    try (CheckpointWriter writer = tier.write(version(10))) {
      assertThatThrownBy(() -> put(writer, name(0, 1), bytes)).hasMessageContaining("No space");
      full.set(false);
      put(writer, name(0, 1), bytes);
      writer.commit(manifest(version(10), bytes));
    }
    try (CheckpointReader reader = tier.read(version(10))) {
      assertThat(read(reader, name(0, 1), 0, bytes.length)).isEqualTo(bytes);
    }
  }

  @Test
  void oneWriterMayAskWhatIsSealedWhileAnotherSeals() throws Exception {
    int shards = 300;
    try (Tier other = open();
        CheckpointWriter looking = open().write(version(10));
        CheckpointWriter writer = other.write(version(10))) {
      CompletableFuture<Void> sealing =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < shards; i++) {
                    put(writer, name(i, shards), bytes(10, i, 100));
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      while (!sealing.isDone()) {
        looking.sealed();
      }
      sealing.get(30, TimeUnit.SECONDS);
      assertThat(looking.sealed()).hasSize(shards);
    }
  }

  @Test
  void aDiskThatHangsInADeletionStopsNoOtherDisk() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    DirectoryTier hung =
        new DirectoryTier(
            "hung",
            Level.ARCHIVED,
            folder.resolve("hung"),
            point -> {
              if (point == FaultPoint.DURING_DELETE) {
                hanging.countDown();
                await(end);
              }
            });
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk"));
    save(hung, version(10), bytes(10, 0, 1_000));
    CompletableFuture<Boolean> deletion = supply(() -> hung.delete(version(10)));
    try {
      await(hanging);
      CompletableFuture<Boolean> saved =
          supply(
              () -> {
                save(disk, version(10), bytes(10, 0, 1_000));
                return disk.delete(version(10));
              });
      assertThat(saved.get(10, TimeUnit.SECONDS)).isTrue();
      assertThat(deletion).isNotDone();
    } finally {
      end.countDown();
    }
    assertThat(deletion.get(30, TimeUnit.SECONDS)).isTrue();
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Runs it on a thread of its own. */
  private static <T> CompletableFuture<T> supply(Callable<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                result.complete(task.call());
              } catch (Exception e) {
                result.completeExceptionally(e);
              }
            })
        .start();
    return result;
  }
}
