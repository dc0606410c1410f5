package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class Crc32cProperties {

  @Property
  void theChecksumOfTheWholeFollowsFromThoseOfItsPieces(@ForAll byte[] left, @ForAll byte[] right) {
    CRC32C whole = new CRC32C();
    whole.update(left);
    whole.update(right);

    int first = Crc32c.of(ByteBuffer.wrap(left));
    int second = Crc32c.of(ByteBuffer.wrap(right));
    assertThat(Crc32c.join(first, second, right.length)).isEqualTo((int) whole.getValue());
    assertThat(Crc32c.of(ByteBuffer.wrap(left), ByteBuffer.wrap(right)))
        .isEqualTo((int) whole.getValue());
  }

  @Property(tries = 20)
  void longPiecesJoinLikeShortOnes(@ForAll byte[] left) {
    int length = 3_000_001;
    CRC32C whole = new CRC32C();
    whole.update(left);
    whole.update(new byte[length]);

    int zeros = Crc32c.of(ByteBuffer.allocate(length));
    assertThat(Crc32c.join(Crc32c.of(ByteBuffer.wrap(left)), zeros, length))
        .isEqualTo((int) whole.getValue());
  }
}
