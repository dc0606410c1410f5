package io.deepvm.checkpoint.memory;

import io.deepvm.units.BadInput;
import io.deepvm.units.DataSize;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of direct buffers of one size, allocated at once: nothing is allocated later, so
 * the budget holds, and equal chunks never fragment.
 */
public final class ChunkPool {

  private static final int LARGEST_CHUNK = 4 << 20;
  private static final int SMALLEST_CHUNK = 4 << 10;

  /** A pool is cut into at least so many chunks, so that small budgets are not rounded away. */
  private static final int LEAST_CHUNKS = 64;

  private final int chunkBytes;
  private final int count;
  private final Deque<ByteBuffer> free;

  /** Allocates the budget, rounded down to whole chunks. */
  public ChunkPool(DataSize budget) {
    long share = Long.highestOneBit(Math.max(1, budget.bytes() / LEAST_CHUNKS));
    this.chunkBytes = (int) Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, share));
    if (budget.bytes() < chunkBytes || budget.bytes() / chunkBytes > Integer.MAX_VALUE) {
      throw new BadInput(
          "A memory budget of %s cannot be used.".formatted(budget),
          "Maybe give at least twice the size of the state.");
    }
    this.count = (int) (budget.bytes() / chunkBytes);
    this.free = new ArrayDeque<>(count);
    try {
      for (int i = 0; i < count; i++) {
        free.add(ByteBuffer.allocateDirect(chunkBytes));
      }
    } catch (OutOfMemoryError e) {
      free.clear();
      throw new BadInput(
          "The memory budget (%s) is more than this process may have outside the heap."
              .formatted(budget),
          "Maybe start Java with -XX:MaxDirectMemorySize above it.");
    }
  }

  /** Returns room for so many bytes, or null when there is not enough now. */
  public synchronized @Nullable Image acquire(long bytes) {
    long wanted = chunksFor(bytes);
    if (wanted > free.size()) {
      return null;
    }
    List<ByteBuffer> chunks = new ArrayList<>((int) wanted);
    for (long i = 0; i < wanted; i++) {
      chunks.add(free.remove());
    }
    return new Image(this, chunks, chunkBytes, bytes);
  }

  synchronized void release(List<ByteBuffer> chunks) {
    // last in, first out: memory that is warm is used again
    chunks.forEach(free::push);
  }

  /** Returns what so many bytes take of the budget. */
  public long cost(long bytes) {
    return chunksFor(bytes) * chunkBytes;
  }

  private long chunksFor(long bytes) {
    return bytes / chunkBytes + (bytes % chunkBytes == 0 ? 0 : 1);
  }

  /** Returns the budget. */
  public long capacity() {
    return (long) count * chunkBytes;
  }

  /** Returns what is free of the budget. */
  public synchronized long available() {
    return (long) free.size() * chunkBytes;
  }
}
