package io.deepvm.transport;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The memory for bytes on their way to sinks, in slots of one chunk each. A sender gets credit only
 * for slots that are set aside for it, so the slots can never run out.
 */
final class Budget {

  private record Waiter(int slots, IntConsumer grant) {}

  private final int chunkBytes;
  private final int slots;
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();
  private int granted;
  private int peakGranted;
  private int allocated;
  private int lent;

  Budget(Limits limits) {
    chunkBytes = limits.chunkBytes();
    slots = (int) Math.min(limits.budget().bytes() / chunkBytes, Integer.MAX_VALUE);
  }

  /**
   * Sets up to this many slots aside and returns how many; none while others wait for their first.
   */
  synchronized int take(int wanted) {
    if (!waiting.isEmpty()) {
      return 0;
    }
    return set(wanted);
  }

  /** Has slots granted, as soon as there are any, to one who has none. */
  void await(int wanted, IntConsumer grant) {
    synchronized (this) {
      waiting.add(new Waiter(wanted, grant));
    }
    release(0);
  }

  /** Takes slots back and serves those who wait, first come first served. */
  void release(int number) {
    List<Runnable> grants = new ArrayList<>();
    synchronized (this) {
      granted -= number;
      while (granted < slots && !waiting.isEmpty()) {
        Waiter next = waiting.remove();
        int got = set(next.slots);
        grants.add(() -> next.grant.accept(got));
      }
    }
    grants.forEach(Runnable::run);
  }

  /** Lends the buffer of a slot that was set aside. */
  synchronized ByteBuffer borrow() {
    lent++;
    ByteBuffer buffer = idle.poll();
    if (buffer == null) {
      allocated++;
      buffer = ByteBuffer.allocateDirect(chunkBytes);
    }
    return buffer.clear();
  }

  synchronized void giveBack(ByteBuffer buffer) {
    lent--;
    idle.push(buffer);
  }

  /** Takes the buffer of a chunk back, if it has one. */
  void giveBack(ReceivedChunk chunk) {
    ByteBuffer buffer = chunk.buffer();
    if (buffer != null) {
      giveBack(buffer);
    }
  }

  /** Lets go of the buffers nobody uses. */
  synchronized void trim() {
    allocated -= idle.size();
    idle.clear();
  }

  synchronized long grantedBytes() {
    return (long) granted * chunkBytes;
  }

  synchronized long peakGrantedBytes() {
    return (long) peakGranted * chunkBytes;
  }

  synchronized long allocatedBytes() {
    return (long) allocated * chunkBytes;
  }

  synchronized long lentBytes() {
    return (long) lent * chunkBytes;
  }

  private int set(int wanted) {
    int got = Math.min(wanted, slots - granted);
    granted += got;
    peakGranted = Math.max(peakGranted, granted);
    return got;
  }
}
