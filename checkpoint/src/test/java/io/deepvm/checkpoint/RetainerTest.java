package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetainerTest {

  private static final String JOB = "job";

  @TempDir Path folder;

  private DirectoryTier disk;

  @BeforeEach
  void open() {
    disk = new DirectoryTier("disk", Level.DURABLE, folder);
  }

  private void save(int... steps) throws InterruptedException {
    EngineOptions options =
        EngineOptions.of(JOB, SharedClaim.of(1), DataSize.parse("1MiB"))
            .withRetention(new Retention(100, 0));
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(disk))) {
      engine.start();
      for (int step : steps) {
        Ticket ticket =
            engine.save(step, TrainingState.replicated(States.at(step, States.mixed())), Map.of());
        assertThat(ticket.await(Level.DURABLE, Duration.ofSeconds(30))).isTrue();
      }
    }
  }

  /** Changes one bit of a shard, so that its size stays. */
  private void damage(long step) throws IOException {
    Path shard =
        folder
            .resolve(JOB)
            .resolve(new Version(JOB, 1, step).folder())
            .resolve("shard-00000-of-00001.safetensors");
    byte[] bytes = Files.readAllBytes(shard);
    bytes[bytes.length - 1] ^= 1;
    Files.write(shard, bytes);
  }

  private List<Long> steps() throws IOException {
    return disk.list(JOB).stream().map(Holding::version).map(Version::step).sorted().toList();
  }

  @Test
  void newerVersionsThatAreDamagedNeverPushOutTheLastSoundOne() throws Exception {
    save(1, 2, 3, 4);
    damage(2);
    damage(3);
    damage(4);
    Retainer retainer = new Retainer(disk, JOB, new Retention(2, 0));
    assertThat(retainer.retain()).isEmpty();
    assertThat(steps()).contains(1L);
    List<Slice> found = States.zeros(States.mixed());
    Restored restored = new Checkpoints(List.of(disk), 1).restore(JOB, manifest -> found);
    assertThat(Objects.requireNonNull(restored).manifest().step()).isEqualTo(1);
    // once there are sound ones again, the old one may go
    save(5, 6);
    assertThat(retainer.retain()).extracting(Version::step).containsExactly(1L, 2L);
  }

  @Test
  void aDamagedVersionTakesNoPlaceAmongTheLast() throws Exception {
    save(1, 2, 3);
    damage(3);
    assertThat(new Retainer(disk, JOB, new Retention(2, 0)).retain()).isEmpty();
    assertThat(steps()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void soundVersionsAreThinnedOutByTheRule() throws Exception {
    save(1, 2, 3, 4, 5);
    assertThat(new Retainer(disk, JOB, new Retention(2, 0)).retain())
        .extracting(Version::step)
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void aSessionThatWasTakenOverThinsNothingOut() throws Exception {
    save(1, 2, 3);
    disk.claim(JOB, new Claim(2, UUID.randomUUID()));
    Retainer zombie = new Retainer(disk, JOB, new Retention(1, 0));
    assertThatThrownBy(() -> zombie.retain(SharedClaim.of(1), version -> true))
        .isInstanceOf(StaleGeneration.class);
    assertThat(steps()).containsExactly(1L, 2L, 3L);
  }
}
