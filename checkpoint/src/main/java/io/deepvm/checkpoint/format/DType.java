package io.deepvm.checkpoint.format;

/** The element types of tensors, named as in safetensors. */
public enum DType {
  BOOL(1),
  U8(1),
  I8(1),
  F8_E4M3(1),
  F8_E5M2(1),
  U16(2),
  I16(2),
  F16(2),
  BF16(2),
  U32(4),
  I32(4),
  F32(4),
  U64(8),
  I64(8),
  F64(8);

  private final int bytes;

  DType(int bytes) {
    this.bytes = bytes;
  }

  /** Bytes of one element. */
  public int bytes() {
    return bytes;
  }
}
