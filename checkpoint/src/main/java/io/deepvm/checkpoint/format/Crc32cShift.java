package io.deepvm.checkpoint.format;

/**
 * Joins CRC32C values of neighbouring bytes without reading the bytes again: appending n zero bytes
 * is a linear map on the 32 bits of the checksum, kept here as a matrix over GF(2).
 */
final class Crc32cShift {

  private static final int REFLECTED_POLYNOMIAL = 0x82F63B78;

  private final int[] columns;

  /** Prepares for right-hand sides of so many bytes. */
  Crc32cShift(long bytes) {
    int[] power = new int[32];
    power[0] = REFLECTED_POLYNOMIAL;
    for (int bit = 1; bit < 32; bit++) {
      power[bit] = 1 << (bit - 1);
    }
    for (int doubling = 0; doubling < 3; doubling++) {
      power = multiply(power, power);
    }
    int[] result = new int[32];
    for (int bit = 0; bit < 32; bit++) {
      result[bit] = 1 << bit;
    }
    for (long rest = bytes; rest > 0; rest >>= 1) {
      if ((rest & 1) == 1) {
        result = multiply(power, result);
      }
      power = multiply(power, power);
    }
    this.columns = result;
  }

  /** Returns the checksum of the left bytes followed by the right ones. */
  long join(long left, long right) {
    return Integer.toUnsignedLong(apply(columns, (int) left) ^ (int) right);
  }

  private static int[] multiply(int[] a, int[] b) {
    int[] product = new int[32];
    for (int column = 0; column < 32; column++) {
      product[column] = apply(a, b[column]);
    }
    return product;
  }

  private static int apply(int[] matrix, int vector) {
    int sum = 0;
    for (int rest = vector; rest != 0; rest &= rest - 1) {
      sum ^= matrix[Integer.numberOfTrailingZeros(rest)];
    }
    return sum;
  }
}
