package io.deepvm.checkpoint.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {

  private static final TensorSpec W = new TensorSpec("w", DType.F32, List.of(5L));

  private static Shard shard(int index, int count, StoredSlice... slices) {
    Checksums.Builder sums = new Checksums.Builder();
    sums.update(ByteBuffer.allocate(100));
    return new Shard(
        new ShardName(index, count).file(),
        100,
        sums.build(),
        List.of(slices),
        Map.of("rng", "seed \"7\"\n"));
  }

  private static Manifest manifest(List<TensorSpec> tensors, Shard... shards) {
    return Manifest.of(
        new Version("job-1", 3, 1200), "2026-11-15T00:00:00Z", tensors, List.of(shards));
  }

  private static Manifest good() {
    return manifest(
        List.of(W),
        shard(0, 2, new StoredSlice("w", 0, 7, 50)),
        shard(1, 2, new StoredSlice("w", 7, 20, 60)));
  }

  @Test
  void aManifestIsReadAsItWasWritten() throws Exception {
    Manifest manifest = good();
    assertThat(Manifest.parse(manifest.toBytes())).isEqualTo(manifest);
    assertThat(new String(manifest.toBytes(), StandardCharsets.UTF_8))
        .startsWith("{\"schema\":\"deepvm/checkpoint/v1\",\"job\":\"job-1\"")
        .endsWith("\"}\n");
  }

  @Test
  void aManifestCutOffAnywhereIsRefused() throws Exception {
    byte[] bytes = good().toBytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> Manifest.parse(cut)).isInstanceOf(CorruptCheckpoint.class);
    }
  }

  @Test
  void aManifestWithAnyBitFlippedIsRefused() throws Exception {
    byte[] bytes = good().toBytes();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> Manifest.parse(flipped)).isInstanceOf(CorruptCheckpoint.class);
    }
  }

  @Test
  void everyByteOfATensorIsInExactlyOneShard() {
    assertThatThrownBy(() -> manifest(List.of(W), shard(0, 1, new StoredSlice("w", 0, 19, 50))))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("'w'");
    assertThatThrownBy(
            () ->
                manifest(
                    List.of(W),
                    shard(0, 2, new StoredSlice("w", 0, 8, 50)),
                    shard(1, 2, new StoredSlice("w", 7, 20, 50))))
        .isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> manifest(List.of(W), shard(0, 1))).isInstanceOf(BadInput.class);
    assertThatThrownBy(
            () ->
                manifest(
                    List.of(W),
                    shard(0, 2, new StoredSlice("w", 0, 20, 50)),
                    shard(1, 2, new StoredSlice("w", 0, 20, 50))))
        .isInstanceOf(BadInput.class);
  }

  @Test
  void sizesThatDoNotFitTheFileAreRefused() {
    assertThatThrownBy(() -> shard(0, 1, new StoredSlice("w", 0, 20, 81)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shard(0, 1, new StoredSlice("w", 0, Long.MAX_VALUE, 81)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> shard(0, 1, new StoredSlice("w", -5, 20, 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TensorSpec("w", DType.F64, List.of(1L << 40, 1L << 40)))
        .isInstanceOf(BadInput.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "../up", "a/b", "/etc", ".hidden", "a\0b", "é", "a b"})
  void aJobCannotBeCalledSoThatItLeavesItsFolder(String job) {
    assertThatThrownBy(() -> new Version(job, 1, 1)).isInstanceOf(BadInput.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "../shard-00000-of-00001.safetensors",
        "shard-00001-of-00001.safetensors",
        "shard-000000-of-00001.safetensors",
        "manifest.json"
      })
  void aShardHasOneName(String name) {
    assertThatThrownBy(() -> ShardName.parse(name)).isInstanceOf(BadInput.class);
  }

  @Test
  void aVersionIsFoundByItsFolder() {
    Version version = new Version("job", 12, 3_400_000_000_000L);
    assertThat(Version.ofFolder("job", version.folder())).isEqualTo(version);
    assertThat(Version.ofFolder("job", "step-1-g1")).isNull();
    assertThat(Version.ofFolder("job", "step-0000000000012-g000001")).isNull();
  }

  @Test
  void aLaterGenerationIsNewerWhateverItsStep() {
    assertThat(new Version("job", 2, 5)).isGreaterThan(new Version("job", 1, 900));
    assertThat(new Version("job", 2, 6)).isGreaterThan(new Version("job", 2, 5));
  }
}
