package io.deepvm.checkpoint.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Cases that the simulation has found, as scripts on a disk that loses what was not synced. */
class PowerLossTest {

  private static final UUID OWNER = new UUID(1, 2);

  /** How much a power loss leaves is chance. */
  private static final int SEEDS = 20;

  private interface Script {
    void run(World world) throws IOException;
  }

  private static void onEachSeed(Script script) throws InterruptedException {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Trace trace = new Trace(null);
      World world = new World(seed, trace);
      world.faults().setActive(false);
      SimulatedThread main =
          new SimulatedThread(
              world.process("test", world.machine("test")), () -> play(script, world), "main");
      world.scheduler().run(main);
      assertThat(trace.problems()).isEmpty();
    }
  }

  private static void play(Script script, World world) {
    try {
      script.run(world);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DirectoryTier store(SimulatedProcess process) {
    return new DirectoryTier("store", Level.DURABLE, process.files().getPath("/a/b/store"));
  }

  @Test
  void aFolderThatADeadProcessDidNotSyncStaysOnceAnotherProcessUsesIt()
      throws InterruptedException {
    onEachSeed(
        world -> {
          Machine machine = world.machine("machine");
          Path made = world.process("dead", machine).files().getPath("/a/b/store/job");
          Files.createDirectories(made);
          store(world.process("second", machine)).claim("job", Claim.of(7));
          machine.losePower();
          assertThat(store(world.process("third", machine)).generation("job")).isEqualTo(7);
        });
  }

  @Test
  void aCommitThatASecondAttemptMeetsStays() throws InterruptedException {
    onEachSeed(
        world -> {
          Machine machine = world.machine("machine");
          Version version = new Version("job", 7, 1);
          SimulatedProcess first = world.process("first", machine);
          CheckpointWriter writer = store(first).write(version, OWNER);
          writer.commit(Manifest.of(version, "2026-11-18T00:00:00Z", List.of(), List.of()));
          dieBeforeTheManifestIsSynced(first, version);
          DirectoryTier again = store(world.process("second", machine));
          assertThatThrownBy(() -> again.write(version, OWNER))
              .isInstanceOf(FileAlreadyExistsException.class);
          machine.losePower();
          assertThat(store(world.process("third", machine)).list("job"))
              .singleElement()
              .matches(Holding::complete);
        });
  }

  /** Seed 9866: retention deleted a safe version in favour of one that a power loss took. */
  @Test
  void aCommitThatADeadProcessDidNotSyncStaysOnceANewSessionBegins() throws InterruptedException {
    onEachSeed(
        world -> {
          Machine machine = world.machine("machine");
          Version version = new Version("job", 7, 1);
          SimulatedProcess first = world.process("first", machine);
          CheckpointWriter writer = store(first).write(version, OWNER);
          writer.commit(Manifest.of(version, "2026-11-18T00:00:00Z", List.of(), List.of()));
          dieBeforeTheManifestIsSynced(first, version);
          store(world.process("second", machine)).claim("job", Claim.of(8));
          machine.losePower();
          assertThat(store(world.process("third", machine)).list("job"))
              .singleElement()
              .matches(Holding::complete);
        });
  }

  /** Ends the process as if it had given the manifest its name, and not yet synced the name. */
  private static void dieBeforeTheManifestIsSynced(SimulatedProcess process, Version version)
      throws IOException {
    Path manifest = process.files().getPath("/a/b/store/job", version.folder(), Manifest.FILE);
    Path part = manifest.resolveSibling("other");
    Files.move(manifest, part);
    try (FileChannel folder = FileChannel.open(manifest.getParent())) {
      folder.force(true);
    }
    Files.move(part, manifest);
    process.kill();
  }

  @Test
  void aDiskLosesWhatWasNotSynced() throws InterruptedException {
    int[] left = {0};
    onEachSeed(
        world -> {
          Machine machine = world.machine("machine");
          Path file = world.process("first", machine).files().getPath("/file");
          Files.writeString(file, "text");
          machine.losePower();
          left[0] +=
              Files.exists(world.process("second", machine).files().getPath("/file")) ? 1 : 0;
        });
    assertThat(left[0]).isBetween(1, SEEDS - 1);
  }
}
