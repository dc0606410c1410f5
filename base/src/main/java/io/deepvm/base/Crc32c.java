package io.deepvm.base;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C of bytes, and of a whole from the checksums of its pieces. */
public final class Crc32c {

  /** The Castagnoli polynomial with the coefficient of x^0 in the highest bit. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private static final int ONE = 1 << 31;
  private static final int X_TO_8 = 1 << (31 - 8);

  /** At k, x to the power of 8 * 2^k, modulo the polynomial. */
  private static final int[] POWERS = new int[Long.SIZE];

  static {
    POWERS[0] = X_TO_8;
    for (int k = 1; k < POWERS.length; k++) {
      POWERS[k] = multiply(POWERS[k - 1], POWERS[k - 1]);
    }
  }

  private Crc32c() {}

  /** Returns the checksum of the remaining bytes of all buffers, whose positions stay. */
  public static int of(ByteBuffer... buffers) {
    CRC32C crc = new CRC32C();
    for (ByteBuffer buffer : buffers) {
      crc.update(buffer.duplicate());
    }
    return (int) crc.getValue();
  }

  /** Returns the checksum of two pieces in a row, from the checksum of each. */
  public static int join(int first, int second, long secondLength) {
    return multiply(shift(secondLength), first) ^ second;
  }

  /** Returns x to the power of 8 * length, modulo the polynomial: that many zero bytes. */
  private static int shift(long length) {
    int result = ONE;
    for (long rest = length; rest != 0; rest &= rest - 1) {
      result = multiply(result, POWERS[Long.numberOfTrailingZeros(rest)]);
    }
    return result;
  }

  private static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int rest = a; rest != 0; rest <<= 1) {
      if (rest < 0) {
        product ^= shifted;
      }
      shifted = (shifted & 1) == 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
    }
    return product;
  }
}
