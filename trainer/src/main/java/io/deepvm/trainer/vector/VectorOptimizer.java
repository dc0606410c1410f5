package io.deepvm.trainer.vector;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.stream.IntStream;

/** An optimizer with its memory: vectors as long as the parameters, outside the heap. */
public final class VectorOptimizer {

  private final OptimizerSpec spec;
  private final List<ByteBuffer> memory;
  private final FloatBuffer[] slots;
  private final float[] p = new float[Floats.CHUNK];
  private final float[] g = new float[Floats.CHUNK];
  private final float[][] s;

  /** Makes one that has seen nothing, for this many parameters. */
  public VectorOptimizer(OptimizerSpec spec, int size) {
    this.spec = spec;
    memory = IntStream.range(0, spec.slots()).mapToObj(i -> Floats.allocate(size)).toList();
    slots = memory.stream().map(ByteBuffer::asFloatBuffer).toArray(FloatBuffer[]::new);
    s = new float[slots.length][Floats.CHUNK];
  }

  /** Returns what it remembers; what is written there counts. */
  public List<ByteBuffer> memory() {
    return memory;
  }

  /** Forgets all. */
  public void reset() {
    for (FloatBuffer slot : slots) {
      Floats.clear(slot);
    }
  }

  /**
   * Takes one step on some of the parameters.
   *
   * @param step which step it is, from 1
   * @param offset where they lie among all parameters
   * @param gradientOffset where they lie in the gradient
   * @param scale what the gradient is multiplied with first
   */
  public void apply(
      long step,
      FloatBuffer parameters,
      int offset,
      FloatBuffer gradient,
      int gradientOffset,
      float scale) {
    for (int at = 0; at < parameters.limit(); at += Floats.CHUNK) {
      int length = Math.min(Floats.CHUNK, parameters.limit() - at);
      parameters.get(at, p, 0, length);
      gradient.get(gradientOffset + at, g, 0, length);
      for (int i = 0; i < slots.length; i++) {
        slots[i].get(offset + at, s[i], 0, length);
      }
      spec.apply(step, scale, p, g, s, length);
      parameters.put(at, p, 0, length);
      for (int i = 0; i < slots.length; i++) {
        slots[i].put(offset + at, s[i], 0, length);
      }
    }
  }
}
