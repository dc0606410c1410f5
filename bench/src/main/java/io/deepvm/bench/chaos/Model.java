package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.transport.Timeouts;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** A small model whose every byte follows from the step and the session. */
final class Model {

  static final String JOB = "chaos";

  /** Short enough that a dead peer is noticed within a test. */
  static final Timeouts TIMEOUTS =
      new Timeouts(
          Duration.ofSeconds(3),
          Duration.ofMillis(300),
          Duration.ofSeconds(3),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10));

  private static final List<TensorSpec> TENSORS =
      List.of(
          new TensorSpec("weights", DType.F32, List.of(419L, 421L)),
          new TensorSpec("bias", DType.F16, List.of(1_003L)),
          new TensorSpec("steps", DType.I64, List.of()));

  private Model() {}

  static List<Slice> zeros() {
    return TENSORS.stream()
        .map(tensor -> Slice.whole(tensor, ByteBuffer.allocateDirect((int) tensor.bytes())))
        .toList();
  }

  /**
   * Does the training of a step: puts its values into the tensors.
   *
   * @param salt differs from session to session, so that no two save the same
   */
  static void train(List<Slice> tensors, long step, long salt) {
    for (int i = 0; i < tensors.size(); i++) {
      SplittableRandom random = new SplittableRandom(salt * 1_000_003 + step * 31 + i);
      ByteBuffer bytes = tensors.get(i).data().get(0).duplicate().order(ByteOrder.LITTLE_ENDIAN);
      while (bytes.remaining() >= Long.BYTES) {
        bytes.putLong(random.nextLong());
      }
      while (bytes.hasRemaining()) {
        bytes.put((byte) random.nextInt());
      }
    }
  }

  /** Whether the tensors are those of a session's step, bit by bit. */
  static boolean isStep(List<Slice> tensors, long step, long salt) {
    List<Slice> expected = zeros();
    train(expected, step, salt);
    for (int i = 0; i < expected.size(); i++) {
      if (!tensors.get(i).data().get(0).equals(expected.get(i).data().get(0))) {
        return false;
      }
    }
    return true;
  }
}
