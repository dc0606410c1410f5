package io.deepvm.checkpoint;

import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.TensorSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Small models whose every byte follows from the step. */
final class States {

  private States() {}

  /** Returns tensors of mixed types and odd sizes, with a scalar and an empty one among them. */
  static List<TensorSpec> mixed() {
    return List.of(
        new TensorSpec("encoder.weight", DType.F32, List.of(257L, 129L)),
        new TensorSpec("encoder.bias", DType.F16, List.of(331L)),
        new TensorSpec("empty", DType.F32, List.of(0L, 4L)),
        new TensorSpec("steps", DType.I64, List.of()),
        new TensorSpec("mask", DType.BOOL, List.of(1001L)),
        new TensorSpec("a.double", DType.F64, List.of(77L, 3L)));
  }

  /** Returns one tensor of so many bytes. */
  static List<TensorSpec> bytes(int size) {
    return List.of(new TensorSpec("w", DType.U8, List.of((long) size)));
  }

  /** Returns the tensors with zeros in direct buffers. */
  static List<Slice> zeros(List<TensorSpec> tensors) {
    List<Slice> slices = new ArrayList<>();
    for (TensorSpec tensor : tensors) {
      slices.add(Slice.whole(tensor, ByteBuffer.allocateDirect((int) tensor.bytes())));
    }
    return slices;
  }

  /** Returns the tensors as they are after a step. */
  static List<Slice> at(long step, List<TensorSpec> tensors) {
    List<Slice> slices = zeros(tensors);
    fill(slices, step);
    return slices;
  }

  /** Puts the values of a step into whole tensors. */
  static void fill(List<Slice> slices, long step) {
    for (Slice slice : slices) {
      byte[] values = new byte[(int) slice.bytes()];
      new Random(step * 31 + slice.tensor().name().hashCode()).nextBytes(values);
      for (ByteBuffer buffer : slice.data()) {
        buffer.put(buffer.position(), values, 0, buffer.remaining());
      }
    }
  }

  /** Returns zeros for all tensors of a checkpoint. */
  static List<Slice> targets(Manifest manifest) {
    return zeros(manifest.tensors());
  }
}
