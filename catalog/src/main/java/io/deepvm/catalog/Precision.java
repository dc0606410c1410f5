package io.deepvm.catalog;

/** The number format a model is trained in, which decides how fast a GPU is. */
public enum Precision {
  /** 32-bit floats on the ordinary cores. */
  FP32("fp32"),
  /** 32-bit floats rounded to 19 bits on tensor cores; GPUs without it fall back to fp32. */
  TF32("tf32"),
  /** 16-bit floats (fp16 or bf16) on tensor cores, dense. */
  FP16("fp16");

  private final String label;

  Precision(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
