package io.deepvm.trainer.vector;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;

/**
 * Vectors of floats as halves (IEEE 754 binary16), rounded to the nearest, ties to even. Halves
 * reach from 6e-8 to 65,504 only, so each group of floats is scaled by a power of two, which goes
 * before it: its largest becomes about half of the largest half. The last float of a vector is
 * written whole, for a count that must not be rounded beside values of any size.
 */
public final class Halves {

  /** Moves the range of half exponents to the lowest of float exponents, and back. */
  private static final float DOWN = 0x1p-112f;

  private static final float UP = 0x1p112f;
  private static final float SMALLEST_NORMAL = 0x1p-14f;
  private static final float STEPS = 0x1p24f;
  private static final int LARGEST = 0x7bff;
  private static final short INFINITE = 0x7c00;

  private static final int GROUP = Floats.CHUNK;

  /** The exponent that a group's largest is scaled to. */
  private static final int TOP = 14;

  /** With less the scale, which is a float too, would be infinite. */
  private static final int LOWEST = TOP - Float.MAX_EXPONENT;

  private static final short NOT_A_NUMBER = 0x7e00;

  private Halves() {}

  /** Returns how many bytes this many floats become. */
  public static int bytes(int floats) {
    int scaled = floats - 1;
    return floats == 0 ? 0 : Float.BYTES + (scaled + (scaled + GROUP - 1) / GROUP) * Short.BYTES;
  }

  /** Writes floats as halves. */
  public static void narrow(FloatBuffer from, ShortBuffer into) {
    float[] floats = new float[GROUP];
    short[] halves = new short[1 + GROUP];
    int last = from.limit() - 1;
    int place = 0;
    for (int at = 0; at < last; at += GROUP) {
      int length = Math.min(GROUP, last - at);
      from.get(at, floats, 0, length);
      int exponent = exponent(floats, length);
      float scale = Math.scalb(1f, TOP - exponent);
      halves[0] = (short) exponent;
      for (int i = 0; i < length; i++) {
        halves[1 + i] = half(floats[i] * scale);
      }
      into.put(place, halves, 0, 1 + length);
      place += 1 + length;
    }
    if (last >= 0) {
      int whole = Float.floatToRawIntBits(from.get(last));
      into.put(place, (short) (whole >>> 16)).put(place + 1, (short) whole);
    }
  }

  /** Returns the exponent of the largest value that is a number and finite. */
  private static int exponent(float[] values, int length) {
    float largest = 0;
    for (int i = 0; i < length; i++) {
      float size = Math.abs(values[i]);
      largest = size <= Float.MAX_VALUE ? Math.max(largest, size) : largest;
    }
    return Math.max(LOWEST, Math.getExponent(largest));
  }

  /** Writes halves as this many floats as there is place for. */
  public static void widen(ShortBuffer from, FloatBuffer into) {
    float[] floats = new float[GROUP];
    short[] halves = new short[GROUP];
    int last = into.limit() - 1;
    int place = 0;
    for (int at = 0; at < last; at += GROUP) {
      int length = Math.min(GROUP, last - at);
      float scale = Math.scalb(1f, from.get(place) - TOP);
      from.get(place + 1, halves, 0, length);
      for (int i = 0; i < length; i++) {
        floats[i] = wide(halves[i]) * scale;
      }
      into.put(at, floats, 0, length);
      place += 1 + length;
    }
    if (last >= 0) {
      int whole = (from.get(place) << 16) | (from.get(place + 1) & 0xffff);
      into.put(last, Float.intBitsToFloat(whole));
    }
  }

  static short half(float value) {
    if (Float.isNaN(value)) {
      return NOT_A_NUMBER;
    }
    int sign = (Float.floatToRawIntBits(value) >>> 16) & 0x8000;
    float size = Math.abs(value);
    if (Float.isInfinite(size)) {
      return (short) (INFINITE | sign);
    }
    if (size < SMALLEST_NORMAL) {
      return (short) ((int) Math.rint(size * STEPS) | sign);
    }
    // Scaled down, a float has the bits of a half, 13 places further left.
    int bits = Float.floatToRawIntBits(size * DOWN);
    int rounded = (bits + 0xfff + ((bits >>> 13) & 1)) >>> 13;
    return (short) (Math.min(rounded, LARGEST) | sign);
  }

  static float wide(short half) {
    int bits = half & 0x7fff;
    if (bits > INFINITE) {
      return Float.NaN;
    }
    float value =
        bits == INFINITE ? Float.POSITIVE_INFINITY : Float.intBitsToFloat(bits << 13) * UP;
    return half < 0 ? -value : value;
  }
}
