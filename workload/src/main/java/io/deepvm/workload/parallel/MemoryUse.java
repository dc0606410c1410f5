package io.deepvm.workload.parallel;

import io.deepvm.base.DataSize;

/** What training keeps in the memory of one GPU, in bytes. */
public record MemoryUse(double weights, double gradients, double optimizer, double activations) {

  /** The share of a GPU's memory that training can use; the rest is the driver's and holes. */
  private static final double USABLE = 0.92;

  /** Returns all of it. */
  public double total() {
    return weights + gradients + optimizer + activations;
  }

  /** Returns whether a GPU with this memory holds it. */
  public boolean fits(DataSize memory) {
    return total() <= USABLE * memory.bytes();
  }

  /** Returns the least memory of a GPU that holds it. */
  public DataSize leastMemory() {
    return new DataSize((long) Math.ceil(total() / USABLE));
  }

  /** Returns the parts in words: "weights 13.5 GB, gradients 13.5 GB, ...". */
  public String describe() {
    return "weights %s, gradients %s, optimizer %s, activations %s"
        .formatted(print(weights), print(gradients), print(optimizer), print(activations));
  }

  /** Returns a number of bytes as people write it. */
  static String print(double bytes) {
    return bytes < 1e9
        ? "%.0f MB".formatted(bytes / 1e6)
        : bytes < 1e11 ? "%.1f GB".formatted(bytes / 1e9) : "%.0f GB".formatted(bytes / 1e9);
  }
}
