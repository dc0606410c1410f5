package io.deepvm.catalog;

import io.deepvm.units.DataSize;
import org.jspecify.annotations.Nullable;

/** A GPU model and what is known of it; what is not known is null. */
public record Gpu(
    String name,
    @Nullable DataSize memory,
    @Nullable Double fp32Flops,
    @Nullable Double tf32Flops,
    @Nullable Double fp16Flops) {

  /** Returns the dense peak in floating-point operations per second, or null when unknown. */
  public @Nullable Double flops(Precision precision) {
    return switch (precision) {
      case FP32 -> fp32Flops;
      case TF32 -> tf32Flops != null ? tf32Flops : fp32Flops;
      case FP16 -> fp16Flops;
    };
  }
}
