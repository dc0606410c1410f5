package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.MemoryTier;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.checkpoint.tier.TierContract;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class FrontTierTest extends TierContract {

  @TempDir Path folder;
  private MemoryTier memory;
  private DirectoryTier disk;
  private FrontTier front;

  @Override
  protected Tier open() {
    memory = new MemoryTier("memory", Level.REPLICATED, DataSize.parse("8MiB"), null);
    disk = new DirectoryTier("disk", Level.DURABLE, folder);
    front = new FrontTier(memory, disk);
    return front;
  }

  private static void save(Tier tier, long step) throws IOException {
    save(tier, version(step), bytes(step, 0, 1_000));
  }

  /** Saves the first of two shards, as an anchor that shares with another does. */
  private static void saveHalf(Tier tier, long step) throws IOException {
    byte[] mine = bytes(step, 0, 1_000);
    try (CheckpointWriter writer = tier.write(version(step), SharedClaim.OWNER)) {
      put(writer, name(0, 2), mine);
      writer.commit(manifest(version(step), mine, bytes(step, 1, 1_000)), Set.of(name(0, 2)));
    }
  }

  private static Iterable<Version> versions(Tier tier) throws IOException {
    return tier.list(JOB).stream().map(Holding::version).toList();
  }

  @Test
  void theLastOneOnTheDiskStaysUntilANewerOneIsThere() throws Exception {
    save(front, 1);
    save(disk, 1);
    save(front, 2);
    save(front, 3);
    assertThat(front.delete(version(1))).isFalse();
    assertThat(versions(memory)).containsExactlyInAnyOrder(version(2), version(3));
    assertThat(versions(disk)).containsExactly(version(1));
    // it is listed, hence asked for again
    assertThat(versions(front)).contains(version(1));
    save(disk, 3);
    assertThat(front.delete(version(1))).isTrue();
    assertThat(versions(disk)).containsExactly(version(3));
  }

  @Test
  void aShareOfAVersionGivesWayToANewerShareButAWholeVersionDoesNot() throws Exception {
    saveHalf(disk, 1);
    assertThat(front.delete(version(1))).isFalse();
    saveHalf(disk, 2);
    assertThat(front.delete(version(1))).isTrue();
    save(disk, 3);
    saveHalf(disk, 4);
    assertThat(front.delete(version(3))).isFalse();
    assertThat(front.delete(version(2))).isTrue();
  }

  @Test
  void whatIsLeftOverOnTheDiskIsDeleted() throws Exception {
    try (CheckpointWriter writer = disk.write(version(1), SharedClaim.OWNER)) {
      put(writer, name(0, 1), bytes(1, 0, 1_000));
    }
    assertThat(front.delete(version(1))).isTrue();
    assertThat(versions(disk)).isEmpty();
  }
}
