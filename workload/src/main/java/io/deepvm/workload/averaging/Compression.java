package io.deepvm.workload.averaging;

/** How gradients are written on the wire; the model was validated with fp16 only. */
public enum Compression {
  FP32("fp32", 4),
  FP16("fp16", 2),
  INT8("int8", 1);

  private final String label;
  private final int bytesPerParameter;

  Compression(String label, int bytesPerParameter) {
    this.label = label;
    this.bytesPerParameter = bytesPerParameter;
  }

  public int bytesPerParameter() {
    return bytesPerParameter;
  }

  @Override
  public String toString() {
    return label;
  }
}
