package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Retainer;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    mine.claim(JOB, SharedClaim.of(4));
    assertThat(other.generation(JOB)).isEqualTo(4);
    try (CheckpointReader reader = other.read(version(10))) {
      assertThat(mine.delete(version(10))).isFalse();
      assertThat(read(reader, name(0, 1), 0, 1_000)).isEqualTo(bytes(10, 0, 1_000));
    }
  }

  @Test
  void whatWasAcceptedElsewhereIsTakenWhateverGenerationIsAnnounced() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    tier.claim(JOB, SharedClaim.of(2));
    byte[] bytes = bytes(10, 0, 1_000);
    try (CheckpointWriter writer = tier.writeAccepted(version(10))) {
      put(writer, name(0, 1), bytes);
      tier.claim(JOB, SharedClaim.of(3));
      writer.commit(manifest(version(10), bytes));
    }
    assertThat(tier.list(JOB)).singleElement().matches(Holding::complete);
    assertThatThrownBy(() -> tier.write(version(11), SharedClaim.OWNER))
        .isInstanceOf(StaleGeneration.class);
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
        new DirectoryTier("old", Level.DURABLE, folder).write(version(10), SharedClaim.OWNER)) {
      try (ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
        shard.write(ByteBuffer.wrap(bytes, 0, 20_000));
      }
      try (ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
        assertThat(shard.position()).isEqualTo(20_000);
      }
    }
    try (CheckpointWriter writer =
            new DirectoryTier("new", Level.DURABLE, folder).write(version(10), SharedClaim.OWNER);
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
    try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER)) {
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
        CheckpointWriter looking = open().write(version(10), SharedClaim.OWNER);
        CheckpointWriter writer = other.write(version(10), SharedClaim.OWNER)) {
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "two",
        "999999999999999999",
        "7 of whom",
        "99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
      })
  void aDamagedGenerationFileDoesNotBlockTheJob(String damage) throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, new Version(JOB, 6, 1), bytes(1, 0, 100));
    Files.writeString(folder.resolve(JOB).resolve("generation"), damage);
    assertThat(tier.generation(JOB)).isEqualTo(6);
    // the session that is there goes on, and a new one takes the next number
    save(tier, new Version(JOB, 6, 2), bytes(2, 0, 100));
    Files.writeString(folder.resolve(JOB).resolve("generation"), damage);
    Claim next = new Checkpoints(List.of(tier), 1).nextGeneration(JOB);
    assertThat(next.generation()).isEqualTo(7);
    assertThatThrownBy(() -> save(tier, new Version(JOB, 6, 3), bytes(3, 0, 100)))
        .isInstanceOf(StaleGeneration.class);
  }

  @Test
  void aFlippedBitInTheGenerationFileDoesNotBringBackAnOldGeneration() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, new Version(JOB, 13, 1), bytes(1, 0, 100));
    Path file = folder.resolve(JOB).resolve("generation");
    byte[] text = Files.readAllBytes(file);
    text[0] ^= 1;
    Files.write(file, text);
    assertThat(Files.readString(file)).startsWith("03 ");
    assertThat(tier.generation(JOB)).isEqualTo(13);
    Claim next = new Checkpoints(List.of(tier), 1).nextGeneration(JOB);
    assertThat(next.generation()).isEqualTo(14);
    try (CheckpointWriter writer = tier.write(new Version(JOB, 14, 2), next.owner())) {
      byte[] bytes = bytes(2, 0, 100);
      put(writer, name(0, 1), bytes);
      writer.commit(manifest(new Version(JOB, 14, 2), bytes));
    }
    new Retainer(tier, JOB, new Retention(1, 0)).retain(next, version -> true);
    assertThat(tier.list(JOB))
        .extracting(Holding::version)
        .containsExactly(new Version(JOB, 14, 2));
  }

  @Test
  void aLostGenerationFileIsMadeUpForByTheFolders() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, new Version(JOB, 6, 1), bytes(1, 0, 100));
    Files.delete(folder.resolve(JOB).resolve("generation"));
    assertThat(new Checkpoints(List.of(tier), 1).nextGeneration(JOB).generation()).isEqualTo(7);
  }

  @Test
  void theGenerationFileOfAnEarlierReleaseIsReadAndItsNumberIsNobodys() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    Files.createDirectories(folder.resolve(JOB));
    Files.writeString(folder.resolve(JOB).resolve("generation"), "4\n");
    assertThat(tier.generation(JOB)).isEqualTo(4);
    assertThatThrownBy(() -> tier.claim(JOB, SharedClaim.of(4)))
        .isInstanceOf(StaleGeneration.class);
    tier.claim(JOB, SharedClaim.of(5));
    assertThat(tier.generation(JOB)).isEqualTo(5);
  }

  @Test
  void oneClaimCannotUseUpAllNumbers() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    for (long absurd : new long[] {Claim.MOST, 100_000_000_000_000L}) {
      assertThatThrownBy(() -> tier.claim(JOB, SharedClaim.of(absurd)))
          .isInstanceOf(BadInput.class);
    }
    assertThat(tier.jobs()).isEmpty();
    tier.claim(JOB, SharedClaim.of(10_000_000_000_000L));
    assertThat(new Checkpoints(List.of(tier), 1).nextGeneration(JOB).generation())
        .isGreaterThan(10_000_000_000_000L);
  }

  @Test
  void aLinkInPlaceOfAVersionIsNeitherListedNorReadNorDeleted() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder.resolve("store"));
    save(tier, version(11), bytes(11, 0, 100));
    Path home = Files.createDirectory(folder.resolve("home"));
    Files.writeString(home.resolve("thesis.tex"), "text");
    Files.writeString(home.resolve(name(0, 1)), "not a shard of ours");
    Path link = folder.resolve("store").resolve(JOB).resolve(version(10).folder());
    Files.createSymbolicLink(link, home);
    assertThat(tier.list(JOB)).extracting(Holding::version).containsExactly(version(11));
    assertThat(new Checkpoints(List.of(tier), 1).gc(JOB).deleted()).isEmpty();
    assertThatThrownBy(() -> tier.delete(version(10))).hasMessageContaining("is a link");
    assertThatThrownBy(() -> tier.read(version(10))).hasMessageContaining("is a link");
    assertThatThrownBy(() -> save(tier, version(10), bytes(10, 0, 100)))
        .hasMessageContaining("is a link");
    assertThat(home).isDirectoryContaining(file -> file.endsWith("thesis.tex"));
    assertThat(home).isDirectoryContaining(file -> file.endsWith(name(0, 1)));
  }

  @Test
  void aLinkInPlaceOfAJobIsRefused() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder.resolve("store"));
    Path home = Files.createDirectory(folder.resolve("home"));
    Files.createDirectory(folder.resolve("store"));
    Files.createSymbolicLink(folder.resolve("store").resolve(JOB), home);
    assertThat(tier.jobs()).isEmpty();
    assertThatThrownBy(() -> tier.list(JOB)).hasMessageContaining("is a link");
    assertThatThrownBy(() -> tier.claim(JOB, SharedClaim.of(1))).hasMessageContaining("is a link");
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void noFileIsWrittenThroughALink() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder.resolve("store"));
    Path victim = Files.writeString(folder.resolve("victim"), "text");
    save(tier, version(10), bytes(10, 0, 100));
    Path job = folder.resolve("store").resolve(JOB);
    Files.createSymbolicLink(job.resolve("generation.part"), victim);
    Files.createDirectory(job.resolve(version(11).folder()));
    Files.createSymbolicLink(
        job.resolve(version(11).folder()).resolve("manifest.json.part"), victim);
    save(tier, version(11), bytes(11, 0, 100));
    tier.claim(JOB, SharedClaim.of(2));
    assertThat(victim).hasContent("text");
    assertThat(tier.generation(JOB)).isEqualTo(2);
  }

  @Test
  void aLinkInPlaceOfTheGenerationOrTheLockIsNotFollowed() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder.resolve("store"));
    Path victim = Files.writeString(folder.resolve("victim"), "text");
    save(tier, version(10), bytes(10, 0, 100));
    Path job = folder.resolve("store").resolve(JOB);
    Files.delete(job.resolve("generation"));
    Files.createSymbolicLink(job.resolve("generation"), victim);
    save(tier, version(11), bytes(11, 0, 100));
    tier.claim(JOB, SharedClaim.of(2));
    assertThat(victim).hasContent("text");
    assertThat(tier.generation(JOB)).isEqualTo(2);
    Files.delete(job.resolve(".lock"));
    Files.createSymbolicLink(job.resolve(".lock"), folder.resolve("made"));
    assertThatThrownBy(() -> tier.claim(JOB, SharedClaim.of(3))).isInstanceOf(IOException.class);
    assertThat(folder.resolve("made")).doesNotExist();
  }

  @Test
  void filesThatNoTierWritesAreNotDeleted() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    save(tier, version(10), bytes(10, 0, 100));
    Files.writeString(file("notes.txt"), "text");
    assertThat(tier.delete(version(10))).isTrue();
    assertThat(tier.list(JOB)).isEmpty();
    assertThat(file("notes.txt")).hasContent("text");
    try (Stream<Path> left = Files.list(file("notes.txt").getParent())) {
      assertThat(left).containsExactly(file("notes.txt"));
    }
  }

  @Test
  void aJobWithoutAVersionIsForgottenAfterAWhile() throws Exception {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, folder);
    tier.claim("empty", SharedClaim.of(1));
    save(tier, version(10), bytes(10, 0, 100));
    tier.forget("empty", Instant.now().minusSeconds(3_600));
    assertThat(tier.jobs()).containsExactly("empty", JOB);
    for (String job : tier.jobs()) {
      tier.forget(job, Instant.now().plusSeconds(3_600));
    }
    assertThat(tier.jobs()).containsExactly(JOB);
    assertThat(tier.generation(JOB)).isEqualTo(1);
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
