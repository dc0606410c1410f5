package io.deepvm.checkpoint.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ChecksumsProperties {

  @Property(tries = 200)
  void theChecksumOfTheWholeIsThatOfAllBytes(
      @ForAll @IntRange(max = 3_500_000) int size,
      @ForAll @IntRange(min = 1, max = 2_000_000) int piece,
      @ForAll long seed) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    Checksums.Builder builder = new Checksums.Builder();
    for (int at = 0; at < size; at += piece) {
      builder.update(ByteBuffer.wrap(bytes, at, Math.min(piece, size - at)));
    }
    Checksums sums = builder.build();
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    assertThat(sums.whole()).isEqualTo(crc.getValue());
    assertThat(sums.chunks()).hasSize((size + Checksums.CHUNK - 1) / Checksums.CHUNK);
    for (int i = 0; i < sums.chunks().size(); i++) {
      int from = i * Checksums.CHUNK;
      int length = Math.min(Checksums.CHUNK, size - from);
      assertThat(sums.matches(i, ByteBuffer.wrap(bytes, from, length))).isTrue();
    }
  }
}
