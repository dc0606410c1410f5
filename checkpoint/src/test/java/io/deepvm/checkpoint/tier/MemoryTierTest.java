package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MemoryTierTest extends TierContract {

  @Override
  protected Tier open() {
    return new MemoryTier("memory", Level.REPLICATED, DataSize.parse("4MiB"), null);
  }

  @Test
  void theOldestMakesRoomAndTheBudgetHolds() throws Exception {
    MemoryTier tier = new MemoryTier("memory", Level.REPLICATED, DataSize.parse("4MiB"), null);
    for (int step = 1; step <= 50; step++) {
      save(tier, version(step), bytes(step, 0, 1_000_000));
      assertThat(tier.usedBytes()).isLessThanOrEqualTo(4 << 20);
    }
    assertThat(tier.list(JOB))
        .extracting(Holding::version)
        .containsExactly(version(47), version(48), version(49), version(50));
    for (Holding holding : tier.list(JOB)) {
      tier.delete(holding.version());
    }
    assertThat(tier.usedBytes()).isZero();
  }

  @Test
  void theOnlyCommittedVersionNeverMakesRoom() throws Exception {
    MemoryTier tier = new MemoryTier("memory", Level.REPLICATED, DataSize.parse("4MiB"), null);
    save(tier, version(1), bytes(1, 0, 3_000_000));
    assertThatThrownBy(() -> save(tier, version(2), bytes(2, 0, 3_000_000)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("full");
    assertThat(tier.list(JOB)).extracting(Holding::version).containsExactly(version(1));
    try (CheckpointReader reader = tier.read(version(1))) {
      assertThat(read(reader, name(0, 1), 0, 3_000_000)).isEqualTo(bytes(1, 0, 3_000_000));
    }
  }

  @Test
  void aVersionBeingReadDoesNotMakeRoom() throws Exception {
    MemoryTier tier = new MemoryTier("memory", Level.REPLICATED, DataSize.parse("4MiB"), null);
    save(tier, version(1), bytes(1, 0, 1_500_000));
    save(tier, version(2), bytes(2, 0, 1_500_000));
    try (CheckpointReader reader = tier.read(version(1))) {
      assertThatThrownBy(() -> save(tier, version(3), bytes(3, 0, 1_500_000)))
          .isInstanceOf(IOException.class);
      assertThat(read(reader, name(0, 1), 0, 1_500_000)).isEqualTo(bytes(1, 0, 1_500_000));
    }
    save(tier, version(3), bytes(3, 0, 1_500_000));
  }
}
