package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.SharedClaim;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillingMemoryTierTest extends TierContract {

  @TempDir Path folder;

  @Override
  protected Tier open() {
    // so small that nearly all goes to the other tier
    return tier("16KiB");
  }

  private MemoryTier tier(String budget) {
    return new MemoryTier(
        "memory",
        Level.REPLICATED,
        DataSize.parse(budget),
        new DirectoryTier("spill", Level.DURABLE, folder));
  }

  @Test
  void aVersionMayLieInBoth() throws Exception {
    MemoryTier tier = tier("1MiB");
    byte[] first = bytes(10, 0, 900_000);
    byte[] second = bytes(10, 1, 900_000);
    try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER)) {
      put(writer, name(0, 2), first);
      put(writer, name(1, 2), second);
      writer.commit(manifest(version(10), first, second));
    }
    assertThat(tier.usedBytes()).isBetween(900_000L, 1L << 20);
    try (CheckpointReader reader = tier.read(version(10))) {
      assertThat(read(reader, name(0, 2), 0, 900_000)).isEqualTo(first);
      assertThat(read(reader, name(1, 2), 0, 900_000)).isEqualTo(second);
    }
    assertThat(tier.delete(version(10))).isTrue();
    assertThat(tier.list(JOB)).isEmpty();
    assertThat(new DirectoryTier("spill", Level.DURABLE, folder).list(JOB)).isEmpty();
  }
}
