package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.SafetensorsHeader;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.MemoryTier;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CheckpointsTest {

  private static final String JOB = "job";

  @TempDir Path folder;
  private DirectoryTier disk;
  private DirectoryTier archive;
  private Checkpoints checkpoints;

  @BeforeEach
  void saveThree() throws Exception {
    disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk"));
    archive = new DirectoryTier("archive", Level.ARCHIVED, folder.resolve("archive"));
    checkpoints = new Checkpoints(List.of(disk, archive), 2);
    save(3, 1, 2, 3);
  }

  private void save(int workers, long... steps) throws Exception {
    Assembly assembly = new LocalAssembly(InstantSource.system());
    List<CheckpointEngine> engines = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      EngineOptions options =
          EngineOptions.of(JOB, SharedClaim.of(1), DataSize.parse("4MiB"))
              .withWorker(worker, workers);
      engines.add(
          new CheckpointEngine(
              options, List.of(disk, archive), assembly, FaultPoints.NONE, System::nanoTime));
      engines.get(worker).start();
    }
    for (long step : steps) {
      List<Ticket> tickets = new ArrayList<>();
      for (CheckpointEngine engine : engines) {
        TrainingState state = TrainingState.replicated(States.at(step, States.mixed()));
        tickets.add(engine.save(step, state, Map.of()));
      }
      for (Ticket ticket : tickets) {
        assertThat(ticket.awaitSettled(Duration.ofSeconds(30))).isTrue();
      }
      assertThat(tickets.get(0).state()).isEqualTo(TicketState.ARCHIVED);
    }
    engines.forEach(CheckpointEngine::close);
  }

  private static Version version(long step) {
    return new Version(JOB, 1, step);
  }

  private Path file(String tier, long step, String name) {
    return folder.resolve(tier).resolve(JOB).resolve(version(step).folder()).resolve(name);
  }

  private static String shard(int index, int count) {
    return new ShardName(index, count).file();
  }

  private static void flip(Path file, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) at] ^= 0x10;
    Files.write(file, bytes);
  }

  private Restored restored(long step) throws IOException {
    List<Slice> targets = States.zeros(States.mixed());
    Restored restored = Objects.requireNonNull(checkpoints.restore(JOB, m -> targets));
    assertThat(restored.manifest().step()).isEqualTo(step);
    List<Slice> expected = States.at(step, States.mixed());
    for (int i = 0; i < targets.size(); i++) {
      assertThat(targets.get(i).data().get(0)).isEqualTo(expected.get(i).data().get(0));
    }
    return restored;
  }

  @Test
  void allTiersAreListedNewestFirst() {
    assertThat(checkpoints.list(JOB).problems()).isEmpty();
    assertThat(checkpoints.list(JOB).checkpoints())
        .extracting(listed -> listed.version().step() + " " + listed.tiers())
        .containsExactly("3 [disk, archive]", "2 [disk, archive]", "1 [disk, archive]");
  }

  @Test
  void theNextGenerationIsNewerThanOneClaimedWhereNobodyAnswers() throws Exception {
    assertThat(checkpoints.nextGeneration(JOB).generation()).isEqualTo(2);
    disk.claim(JOB, SharedClaim.of(9));
    Files.move(folder.resolve("disk"), folder.resolve("aside"));
    Files.writeString(folder.resolve("disk"), "in the way");
    long jumped = checkpoints.nextGeneration(JOB).generation();
    assertThat(jumped).isGreaterThan(9);
    // also when it is one of several that are asked as one
    Tier spread = new SpreadTier("spread", Level.DURABLE, List.of(archive, disk), 2);
    assertThat(new Checkpoints(List.of(spread), 1).nextGeneration(JOB).generation())
        .isGreaterThan(9);
    Files.delete(folder.resolve("disk"));
    Files.move(folder.resolve("aside"), folder.resolve("disk"));
    assertThat(checkpoints.nextGeneration(JOB).generation()).isGreaterThan(jumped);
  }

  @Test
  void theNewestComesFromTheFastestTier() throws Exception {
    assertThat(restored(3).tier()).isEqualTo("disk");
  }

  @Test
  void aFlippedBitSendsToTheNextTierThenToTheVersionBefore() throws Exception {
    flip(file("disk", 3, shard(1, 3)), 5_000);
    Restored first = restored(3);
    assertThat(first.tier()).isEqualTo("archive");
    assertThat(first.passedOver())
        .singleElement()
        .asString()
        .contains("disk", "not what was saved");
    flip(file("archive", 3, shard(0, 3)), 0);
    assertThat(checkpoints.verify(version(3))).hasSize(2);
    // the bytes of the header are not needed for restoring, but vouched for all the same
    flip(file("archive", 3, shard(2, 3)), 9_000);
    assertThat(restored(2).tier()).isEqualTo("disk");
  }

  @Test
  void aTornShardSendsToTheNextTier() throws Exception {
    Path shard = file("disk", 3, shard(2, 3));
    Files.write(shard, Arrays.copyOf(Files.readAllBytes(shard), 4_000));
    assertThat(restored(3).tier()).isEqualTo("archive");
    assertThat(checkpoints.list(JOB).checkpoints().get(0).tiers()).containsExactly("archive");
    assertThat(checkpoints.list(JOB).problems()).hasSize(1);
  }

  @Test
  void aTruncatedManifestSendsToTheNextTier() throws Exception {
    Path manifest = file("disk", 3, Manifest.FILE);
    Files.write(manifest, Arrays.copyOf(Files.readAllBytes(manifest), 1_000));
    assertThat(restored(3).tier()).isEqualTo("archive");
  }

  @Test
  void allDamagedIsAnErrorAndNothingIsNone() throws Exception {
    for (long step = 1; step <= 3; step++) {
      Files.delete(file("disk", step, shard(0, 3)));
      flip(file("archive", step, shard(0, 3)), 3_000);
    }
    assertThatThrownBy(() -> checkpoints.restore(JOB, States::targets))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No checkpoint of job can be restored");
    assertThat(checkpoints.restore("nobody", States::targets)).isNull();
  }

  @Test
  void aModelThatDoesNotFitIsToldSo() {
    List<Slice> wrong =
        States.zeros(List.of(new TensorSpec("encoder.wieght", DType.F32, List.of(2L))));
    assertThatThrownBy(() -> checkpoints.restore(JOB, m -> wrong))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("no tensor 'encoder.wieght'");
    List<Slice> shape =
        States.zeros(List.of(new TensorSpec("encoder.bias", DType.F32, List.of(331L))));
    assertThatThrownBy(() -> checkpoints.restore(JOB, m -> shape)).isInstanceOf(BadInput.class);
  }

  @Test
  void whatIsWholeVerifies() {
    assertThat(checkpoints.verify(version(2))).isEmpty();
    assertThat(checkpoints.verify(version(9))).hasSize(1);
  }

  @Test
  void everySingleBitIsVouchedFor() throws Exception {
    Path shard = file("disk", 3, shard(1, 3));
    byte[] bytes = Files.readAllBytes(shard);
    for (int at = 0; at < bytes.length; at += 997) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 1;
      Files.write(shard, damaged);
      assertThat(checkpoints.verify(version(3))).hasSize(1);
    }
  }

  @Test
  void theExportIsOnePlainSafetensorsFile() throws Exception {
    Path file = folder.resolve("merged.safetensors");
    checkpoints.export(version(3), file);
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    int json = SafetensorsHeader.jsonBytes(bytes, bytes.limit());
    SafetensorsHeader header =
        SafetensorsHeader.parse(
            Arrays.copyOfRange(bytes.array(), 8, 8 + json), bytes.limit() - 8 - json);
    assertThat(header.entries())
        .extracting(SafetensorsHeader.Entry::tensor)
        .containsExactlyInAnyOrderElementsOf(States.mixed());
    for (Slice expected : States.at(3, States.mixed())) {
      SafetensorsHeader.Entry entry =
          header.entries().stream()
              .filter(e -> e.tensor().equals(expected.tensor()))
              .findFirst()
              .orElseThrow();
      assertThat((8 + json + entry.begin()) % expected.tensor().dtype().bytes()).isZero();
      assertThat(bytes.slice((int) (8 + json + entry.begin()), (int) expected.bytes()))
          .isEqualTo(expected.data().get(0));
    }
  }

  @Test
  void cleaningUpTakesLeftOversOnly() throws Exception {
    Files.delete(file("disk", 2, Manifest.FILE));
    Files.createDirectories(file("disk", 8, ""));
    Files.writeString(file("disk", 8, shard(0, 1) + ".part"), "half");
    flip(file("archive", 1, Manifest.FILE), 30);
    assertThat(checkpoints.gc(JOB).deleted()).hasSize(2);
    assertThat(checkpoints.gc(JOB).deleted()).isEmpty();
    assertThat(file("disk", 2, "")).doesNotExist();
    assertThat(file("disk", 8, "")).doesNotExist();
    assertThat(file("archive", 1, Manifest.FILE)).exists();
    assertThat(checkpoints.list(JOB).checkpoints()).hasSize(3);
  }

  @Test
  void cleaningUpSparesWhatIsBeingWritten() throws Exception {
    try (var writer = disk.write(version(9), SharedClaim.OWNER);
        var part = writer.shard(shard(0, 1), 10)) {
      part.write(ByteBuffer.allocate(5));
      assertThat(checkpoints.gc(JOB).inUse()).hasSize(1);
      assertThat(file("disk", 9, "")).isDirectoryContaining("glob:**.part");
    }
    assertThat(checkpoints.gc(JOB).deleted()).hasSize(1);
  }

  @Test
  void retentionNeverTakesTheOnlyRestorableOne() throws Exception {
    Files.delete(file("disk", 3, shard(0, 3)));
    Files.delete(file("disk", 2, Manifest.FILE));
    assertThat(new Checkpoints(List.of(disk), 1).retain(JOB, new Retention(1, 0))).isEmpty();
    Tier memory = new MemoryTier("memory", Level.REPLICATED, DataSize.parse("4MiB"), null);
    assertThat(new Checkpoints(List.of(memory), 1).retain(JOB, new Retention(1, 0))).isEmpty();
    assertThat(new Checkpoints(List.of(archive), 1).retain(JOB, new Retention(1, 0)))
        .containsExactly(version(1), version(2));
  }

  @Test
  void sessionsThatTakeTheNextGenerationTogetherGetDifferentOnes() throws Exception {
    int sessions = 6;
    Set<Long> numbers = ConcurrentHashMap.newKeySet();
    CyclicBarrier start = new CyclicBarrier(sessions);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < sessions; i++) {
      all.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  start.await(30, TimeUnit.SECONDS);
                  numbers.add(checkpoints.nextGeneration(JOB).generation());
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> each : all) {
      each.get(60, TimeUnit.SECONDS);
    }
    assertThat(numbers).hasSize(sessions);
  }

  @Test
  void sessionsThatReachDifferentTiersGetDifferentGenerations() throws Exception {
    InstantSource clock = InstantSource.fixed(Instant.parse("2026-11-18T12:00:00Z"));
    Files.writeString(folder.resolve("away"), "in the way");
    Tier away = new DirectoryTier("away", Level.ARCHIVED, folder.resolve("away"));
    Tier one = new DirectoryTier("one", Level.ARCHIVED, folder.resolve("one"));
    Tier two = new DirectoryTier("two", Level.ARCHIVED, folder.resolve("two"));
    Claim first =
        new Claims(List.of(one, away), clock).next(Claims.Request.of(JOB, new UUID(0, 1)));
    Claim second =
        new Claims(List.of(away, two), clock).next(Claims.Request.of(JOB, new UUID(0, 2)));
    assertThat(first.generation()).isNotEqualTo(second.generation());
  }
}
