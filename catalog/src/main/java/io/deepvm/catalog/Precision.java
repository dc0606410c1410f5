package io.deepvm.catalog;

import org.jspecify.annotations.Nullable;

/** The number format a model is trained in, which decides how fast a GPU is. */
public enum Precision {
  /** 32-bit floats on the ordinary cores. */
  FP32("fp32", null),
  /** 32-bit floats rounded to 19 bits on tensor cores; GPUs without it fall back to fp32. */
  TF32("tf32", FP32),
  /** 16-bit floats on tensor cores, dense. */
  FP16("fp16", null),
  /** 16-bit floats with the range of fp32, as fast as fp16; GPUs without it fall back to fp16. */
  BF16("bf16", FP16),
  /** 8-bit floats on tensor cores, dense; GPUs without it cannot train in it. */
  FP8("fp8", null);

  private final String label;
  private final @Nullable Precision instead;

  Precision(String label, @Nullable Precision instead) {
    this.label = label;
    this.instead = instead;
  }

  /** Returns the format in which a GPU without units for this one trains, or null if none. */
  public @Nullable Precision instead() {
    return instead;
  }

  @Override
  public String toString() {
    return label;
  }
}
