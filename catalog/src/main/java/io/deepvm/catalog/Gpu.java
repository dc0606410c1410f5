package io.deepvm.catalog;

import io.deepvm.base.DataSize;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A GPU model and what is known of it; what is not known is null.
 *
 * @param memoryBytesPerSecond bandwidth of its memory, as the vendor states it
 * @param peaks dense floating-point operations per second, for the precisions it has units for
 */
public record Gpu(
    String name,
    @Nullable Vendor vendor,
    @Nullable DataSize memory,
    @Nullable Double memoryBytesPerSecond,
    Map<Precision, Double> peaks) {

  public Gpu {
    peaks = Map.copyOf(peaks);
  }

  /** Returns a GPU without known speeds. */
  public static Gpu unknown(String name, @Nullable DataSize memory) {
    return new Gpu(name, null, memory, null, Map.of());
  }

  /** Returns whether it is known to have units for this precision. */
  public boolean has(Precision precision) {
    return peaks.containsKey(precision);
  }

  /**
   * Returns the dense peak in floating-point operations per second, or null when unknown. A GPU
   * without tf32 runs at fp32, one without bf16 at fp16.
   */
  public @Nullable Double flops(Precision precision) {
    Double peak = peaks.get(precision);
    Precision instead = precision.instead();
    return peak != null || instead == null ? peak : peaks.get(instead);
  }
}
