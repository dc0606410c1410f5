package io.deepvm.trainer.server;

import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.vector.Floats;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/** The part of the parameters that one server keeps: workers push gradients and pull values. */
final class ParameterShard {

  private final ModelState state;
  private final int begin;
  private final int end;
  private final float scale;
  private final Applied applied = new Applied();
  private final Map<Integer, ByteBuffer> pushed = new HashMap<>();
  private final Map<Integer, ByteBuffer> pulled = new HashMap<>();
  private long staleSum;
  private long staleMost;
  private long staleCount;

  /** Returns where a server's part of the parameters begins. */
  static int begin(int size, int part, int parts) {
    return (int) ((long) size * part / parts);
  }

  ParameterShard(ModelState state, int begin, int end, int microBatch) {
    this.state = state;
    this.begin = begin;
    this.end = end;
    this.scale = 1f / microBatch;
  }

  /** Begins with all leases before this one applied. */
  synchronized void begin(long first) {
    applied.begin(first);
  }

  /** Returns where a worker's gradient goes. */
  synchronized ByteBuffer place(int worker) {
    return pushed.computeIfAbsent(worker, who -> Floats.allocate(end - begin)).duplicate();
  }

  /** A worker's gradient is there: takes a step, unless this lease has been applied before. */
  synchronized void push(int worker, long lease, long version) {
    ByteBuffer gradient = pushed.get(worker);
    if (gradient == null) {
      throw new IllegalStateException("Nothing was pushed by " + worker + ".");
    }
    long before = applied.count();
    if (applied.add(lease)) {
      state.apply(
          applied.count(),
          begin,
          end,
          gradient.order(ByteOrder.nativeOrder()).asFloatBuffer(),
          scale);
      staleSum += before - version;
      staleMost = Math.max(staleMost, before - version);
      staleCount++;
    }
  }

  /** Returns a copy of the parameters for a worker, after the number of updates in them. */
  synchronized ByteBuffer[] pull(int worker) {
    ByteBuffer copy =
        pulled.computeIfAbsent(
            worker,
            who ->
                ByteBuffer.allocateDirect(Long.BYTES + (end - begin) * Float.BYTES)
                    .order(ByteOrder.nativeOrder()));
    copy.clear().putLong(applied.count());
    state.parameters(begin, end).forEach(copy::put);
    return new ByteBuffer[] {copy.flip().duplicate()};
  }

  /** Returns the parameters and the optimizer's memory; nothing may be pushed meanwhile. */
  ByteBuffer[] all() {
    return state.buffers(begin, end);
  }

  synchronized long count() {
    return applied.count();
  }

  /** Returns the mean number of updates that came between a worker's pull and its push. */
  synchronized double meanStaleness() {
    return staleCount == 0 ? 0 : (double) staleSum / staleCount;
  }

  synchronized long mostStaleness() {
    return staleMost;
  }
}
