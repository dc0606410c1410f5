package io.deepvm.checkpoint.format;

import io.deepvm.base.BadInput;
import java.util.List;

/** What a tensor is, without its values; elements lie in row-major order, little endian. */
public record TensorSpec(String name, DType dtype, List<Long> shape) {

  static final String METADATA = "__metadata__";

  private static final int MAX_NAME = 1_000;
  private static final int MAX_RANK = 64;

  public TensorSpec {
    shape = List.copyOf(shape);
    if (name.isEmpty() || name.length() > MAX_NAME || name.equals(METADATA)) {
      throw new BadInput(
          "A tensor cannot be called '%s'."
              .formatted(name.length() > MAX_NAME ? name.substring(0, 40) + "..." : name),
          "Maybe use a name of 1 to %d characters other than %s.".formatted(MAX_NAME, METADATA));
    }
    if (shape.size() > MAX_RANK || shape.stream().anyMatch(d -> d < 0)) {
      throw new BadInput(
          "The tensor '%s' has the shape %s.".formatted(name, shape),
          "Maybe give at most %d dimensions of zero or more.".formatted(MAX_RANK));
    }
    size(name, dtype, shape);
  }

  /** Returns the size of all elements. */
  public long bytes() {
    return size(name, dtype, shape);
  }

  private static long size(String name, DType dtype, List<Long> shape) {
    if (shape.contains(0L)) {
      return 0;
    }
    try {
      long bytes = dtype.bytes();
      for (long dimension : shape) {
        bytes = Math.multiplyExact(bytes, dimension);
      }
      return bytes;
    } catch (ArithmeticException e) {
      throw new BadInput(
          "The tensor '%s' of shape %s is larger than 2^63 bytes.".formatted(name, shape),
          "Maybe the shape is not what was meant.");
    }
  }
}
