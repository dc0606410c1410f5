package io.deepvm.trainer.vector;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;

/** Vectors of floats as halves (IEEE 754 binary16), rounded to the nearest, ties to even. */
public final class Halves {

  /** Moves the range of half exponents to the lowest of float exponents, and back. */
  private static final float DOWN = 0x1p-112f;

  private static final float UP = 0x1p112f;
  private static final float SMALLEST_NORMAL = 0x1p-14f;
  private static final float STEPS = 0x1p24f;
  private static final int LARGEST = 0x7bff;
  private static final short NOT_A_NUMBER = 0x7e00;

  private Halves() {}

  /** Writes floats as halves; what is too large becomes the largest. */
  public static void narrow(FloatBuffer from, ShortBuffer into) {
    float[] floats = new float[Floats.CHUNK];
    short[] halves = new short[Floats.CHUNK];
    for (int at = 0; at < from.limit(); at += Floats.CHUNK) {
      int length = Math.min(Floats.CHUNK, from.limit() - at);
      from.get(at, floats, 0, length);
      for (int i = 0; i < length; i++) {
        halves[i] = half(floats[i]);
      }
      into.put(at, halves, 0, length);
    }
  }

  /** Writes halves as floats. */
  public static void widen(ShortBuffer from, FloatBuffer into) {
    float[] floats = new float[Floats.CHUNK];
    short[] halves = new short[Floats.CHUNK];
    for (int at = 0; at < from.limit(); at += Floats.CHUNK) {
      int length = Math.min(Floats.CHUNK, from.limit() - at);
      from.get(at, halves, 0, length);
      for (int i = 0; i < length; i++) {
        floats[i] = wide(halves[i]);
      }
      into.put(at, floats, 0, length);
    }
  }

  static short half(float value) {
    if (Float.isNaN(value)) {
      return NOT_A_NUMBER;
    }
    int sign = (Float.floatToRawIntBits(value) >>> 16) & 0x8000;
    float size = Math.abs(value);
    if (size < SMALLEST_NORMAL) {
      return (short) ((int) Math.rint(size * STEPS) | sign);
    }
    // Scaled down, a float has the bits of a half, 13 places further left.
    int bits = Float.floatToRawIntBits(size * DOWN);
    int rounded = (bits + 0xfff + ((bits >>> 13) & 1)) >>> 13;
    return (short) (Math.min(rounded, LARGEST) | sign);
  }

  static float wide(short half) {
    if ((half & 0x7fff) > LARGEST) {
      return Float.NaN;
    }
    float value = Float.intBitsToFloat((half & 0x7fff) << 13) * UP;
    return half < 0 ? -value : value;
  }
}
