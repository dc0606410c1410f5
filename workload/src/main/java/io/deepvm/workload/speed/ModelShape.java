package io.deepvm.workload.speed;

import io.deepvm.base.DataSize;
import io.deepvm.workload.ModelSize;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a model without running it.
 *
 * @param name under which measurements are looked up, in any spelling
 * @param size parameters and tensors
 * @param flopPerSample forward and backward: 2 operations a multiply-add, backward is twice forward
 * @param activations memory of one sample's activations in 16 bits, without recomputing any
 * @param sampleSize edge of an image in pixels, or tokens of a sequence
 */
public record ModelShape(
    String name,
    @Nullable ModelSize size,
    @Nullable Double flopPerSample,
    @Nullable DataSize activations,
    @Nullable Integer sampleSize) {

  /** Returns a model with a name and no other facts. */
  public static ModelShape named(String name) {
    return new ModelShape(name, null, null, null, null);
  }
}
