package io.deepvm.trainer.vector;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Loops over vectors outside the heap. They go through small arrays that stay in the cache, since
 * the compiler vectorises loops over arrays and copies between buffers and arrays are fast; loops
 * over buffers themselves are not always vectorised.
 */
public final class Floats {

  /** How many floats are worked on at a time. */
  static final int CHUNK = 2048;

  private Floats() {}

  /** Returns a vector of zeros outside the heap. */
  public static ByteBuffer allocate(int floats) {
    return ByteBuffer.allocateDirect(Math.multiplyExact(floats, Float.BYTES))
        .order(ByteOrder.nativeOrder());
  }

  /** Sets all to zero. */
  public static void clear(FloatBuffer vector) {
    float[] zeros = new float[Math.min(CHUNK, vector.limit())];
    for (int at = 0; at < vector.limit(); at += CHUNK) {
      vector.put(at, zeros, 0, Math.min(CHUNK, vector.limit() - at));
    }
  }

  /** Copies all of a vector to this place of another. */
  public static void copy(FloatBuffer from, FloatBuffer into, int at) {
    into.put(at, from, 0, from.limit());
  }

  /** Adds a multiple of a vector to the other, from this place on. */
  public static void addScaled(FloatBuffer into, int offset, FloatBuffer from, float factor) {
    float[] a = new float[CHUNK];
    float[] b = new float[CHUNK];
    for (int at = 0; at < from.limit(); at += CHUNK) {
      int length = Math.min(CHUNK, from.limit() - at);
      into.get(offset + at, a, 0, length);
      from.get(at, b, 0, length);
      for (int i = 0; i < length; i++) {
        a[i] += factor * b[i];
      }
      into.put(offset + at, a, 0, length);
    }
  }

  /** Sums this many vectors of equal length, in their order, into another, which may be one. */
  public static void sum(FloatBuffer into, FloatBuffer... parts) {
    float[] a = new float[CHUNK];
    float[] b = new float[CHUNK];
    for (int at = 0; at < into.limit(); at += CHUNK) {
      int length = Math.min(CHUNK, into.limit() - at);
      parts[0].get(at, a, 0, length);
      for (int part = 1; part < parts.length; part++) {
        parts[part].get(at, b, 0, length);
        for (int i = 0; i < length; i++) {
          a[i] += b[i];
        }
      }
      into.put(at, a, 0, length);
    }
  }
}
