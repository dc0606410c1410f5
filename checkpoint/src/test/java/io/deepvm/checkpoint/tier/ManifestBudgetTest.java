package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.format.Checksums;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.StoredSlice;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ManifestBudgetTest {

  private static final String SHARD = new ShardName(0, 1).file();

  private final MemoryTier tier =
      new MemoryTier("memory", Level.REPLICATED, DataSize.parse("16MB"), null);

  /** Saves one byte of state with half a megabyte of metadata. */
  private void save(Version version) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(1);
    Checksums.Builder sums = new Checksums.Builder();
    sums.update(content.duplicate());
    Shard shard =
        new Shard(
            SHARD,
            1,
            sums.build(),
            List.of(new StoredSlice("t", 0, 1, 0)),
            Map.of("note", "x".repeat(500_000)));
    TensorSpec tensor = new TensorSpec("t", DType.U8, List.of(1L));
    try (CheckpointWriter writer = tier.write(version, SharedClaim.OWNER)) {
      try (ShardWriter to = writer.shard(SHARD, 1)) {
        to.write(content);
        to.seal();
      }
      writer.commit(Manifest.of(version, "2026-11-15T00:00:00Z", List.of(tensor), List.of(shard)));
    }
  }

  @Test
  void manifestsOfOldVersionsMakeRoomForNewOnes() throws IOException {
    for (int step = 1; step <= 100; step++) {
      save(new Version("job", 1, step));
    }
    // 4 MiB of manifests, of half a megabyte each.
    assertThat(tier.list("job")).hasSize(8);
    assertThat(tier.list("job"))
        .extracting(Holding::version)
        .contains(new Version("job", 1, 100), new Version("job", 1, 93));
  }

  @Test
  void manifestsThatMustStayDoNotFillTheHeap() throws IOException {
    for (int job = 1; job <= 8; job++) {
      save(new Version("job-" + job, 1, 1));
    }
    assertThatThrownBy(() -> save(new Version("job-9", 1, 1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("holds manifests of");
    assertThat(tier.list("job-1")).hasSize(1);
    tier.delete(new Version("job-1", 1, 1));
    save(new Version("job-9", 1, 1));
    assertThat(tier.list("job-9")).hasSize(1);
  }
}
