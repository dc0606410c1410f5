package io.deepvm.checkpoint.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import java.lang.management.ManagementFactory;
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
public final class ChunkPool implements Arena {

  private static final int LARGEST_CHUNK = 4 << 20;
  private static final int SMALLEST_CHUNK = 4 << 10;

  /** A pool is cut into at least this many chunks, so that small budgets are not rounded away. */
  private static final int LEAST_CHUNKS = 64;

  private final int chunkBytes;
  private final int count;
  private final Deque<ByteBuffer> free;

  /** Allocates the budget, rounded down to whole chunks. */
  public ChunkPool(DataSize budget) {
    this.chunkBytes = chunkBytes(budget);
    if (budget.bytes() < chunkBytes || budget.bytes() / chunkBytes > Integer.MAX_VALUE) {
      throw new BadInput(
          "A memory budget of %s cannot be used.".formatted(budget),
          "Maybe give at least twice the size of the state.");
    }
    if (budget.bytes() > mostBytes()) {
      // to find out by allocating may take minutes
      throw tooMuch(budget);
    }
    this.count = (int) (budget.bytes() / chunkBytes);
    this.free = new ArrayDeque<>(count);
    try {
      for (int i = 0; i < count; i++) {
        free.add(ByteBuffer.allocateDirect(chunkBytes));
      }
    } catch (OutOfMemoryError e) {
      free.clear();
      throw tooMuch(budget);
    }
  }

  private static BadInput tooMuch(DataSize budget) {
    return new BadInput(
        "The memory budget (%s) is more than this process may have outside the heap (%s)."
            .formatted(budget, new DataSize(mostBytes())),
        "Maybe give less, or start Java with -XX:MaxDirectMemorySize above it.");
  }

  /** What direct buffers may take: as much as the heap where nothing is said. */
  private static long mostBytes() {
    long stated =
        Long.parseLong(
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxDirectMemorySize")
                .getValue());
    return stated == 0 ? Runtime.getRuntime().maxMemory() : stated;
  }

  /** Returns the size of the chunks that a budget is cut into. */
  public static int chunkBytes(DataSize budget) {
    long share = Long.highestOneBit(Math.max(1, budget.bytes() / LEAST_CHUNKS));
    return (int) Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, share));
  }

  @Override
  public synchronized @Nullable ChunkImage acquire(long bytes) {
    long wanted = chunksFor(bytes);
    if (wanted > free.size()) {
      return null;
    }
    List<ByteBuffer> chunks = new ArrayList<>((int) wanted);
    for (long i = 0; i < wanted; i++) {
      chunks.add(free.remove());
    }
    return new ChunkImage(this, chunks, chunkBytes, bytes);
  }

  synchronized void release(List<ByteBuffer> chunks) {
    // last in, first out: memory that is warm is used again
    chunks.forEach(free::push);
  }

  @Override
  public long cost(long bytes) {
    return chunksFor(bytes) * chunkBytes;
  }

  private long chunksFor(long bytes) {
    return bytes / chunkBytes + (bytes % chunkBytes == 0 ? 0 : 1);
  }

  @Override
  public long capacity() {
    return (long) count * chunkBytes;
  }

  @Override
  public synchronized long available() {
    return (long) free.size() * chunkBytes;
  }
}
