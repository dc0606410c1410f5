package io.deepvm.trainer.model;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A parameter that the engine computes with.
 *
 * @param offset where it begins among all parameters, in floats
 * @param bytes its values, in place: what is written there counts
 */
public record Tensor(String name, List<Long> shape, int offset, ByteBuffer bytes) {

  public Tensor {
    shape = List.copyOf(shape);
  }
}
