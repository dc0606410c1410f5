package io.deepvm.trainer.averaging;

import io.deepvm.trainer.vector.Floats;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a member has found in the step under way; it outlives a generation. */
final class Accumulator {

  private final int size;
  private final ByteBuffer bytes;
  private final FloatBuffer floats;
  private final List<Integer> held = new ArrayList<>();
  private double loss;
  private long ledger;

  /** One float more than the parameters counts the micro-batches: their sum must be all. */
  Accumulator(int size) {
    this.size = size;
    bytes = Floats.allocate(size + 1);
    floats = bytes.asFloatBuffer();
  }

  ByteBuffer bytes() {
    return bytes;
  }

  FloatBuffer floats() {
    return floats;
  }

  synchronized Word.Share share() {
    return new Word.Share(held, loss, ledger);
  }

  /** Notes that the gradient of a micro-batch has been added. */
  synchronized void note(int microBatch, double lossSum, long ledgerSum) {
    held.add(microBatch);
    loss += lossSum;
    ledger += ledgerSum;
    floats.put(size, held.size());
  }

  synchronized void clear() {
    if (!held.isEmpty()) {
      Floats.clear(floats);
    }
    held.clear();
    loss = 0;
    ledger = 0;
  }
}
