package io.deepvm.transport;

/**
 * How far a sender may send, and when it learns more. Offsets count from the start of the transfer.
 * Guarded by the transfer that it belongs to.
 */
final class Credit {

  private final long length;
  private final int chunkBytes;
  private final long window;
  private final long step;
  private boolean whole;
  private long limit;
  private long toldLimit;
  private long toldOffset;
  private boolean waiting;
  private boolean released;

  /**
   * Gives no credit yet.
   *
   * @param windowBytes the most that may be under way to a sink
   */
  Credit(long length, int chunkBytes, long windowBytes) {
    this.length = length;
    this.chunkBytes = chunkBytes;
    this.window = windowBytes / chunkBytes * chunkBytes;
    this.step = Math.max(chunkBytes, window / 4);
  }

  /** Begins at an offset, with credit for the whole or for nothing. */
  void begin(long offset, boolean forWhole) {
    whole = forWhole;
    limit = forWhole ? length : offset;
    toldOffset = offset;
  }

  /** Returns up to which offset the sender may send. */
  long limit() {
    return limit;
  }

  /** Returns for how many more chunks the sender should have credit. */
  int wantedSlots(long held) {
    return whole ? 0 : slots(Math.min(length, held + window) - limit);
  }

  /** Adds credit for chunks, and returns false when the transfer needs none any more. */
  boolean add(int slots) {
    if (released) {
      return false;
    }
    limit = Math.min(length, limit + (long) slots * chunkBytes);
    return true;
  }

  /**
   * Returns for how many chunks to wait, because the sender has no credit at all; 0 if it has, or
   * if a wait is under way.
   */
  int slotsToAwait(long held) {
    if (whole || waiting || released || limit > held) {
      return 0;
    }
    int wanted = wantedSlots(held);
    waiting = wanted > 0;
    return wanted;
  }

  /** Notes that the wait for chunks is over. */
  void awaited() {
    waiting = false;
  }

  /** Returns whether the transfer waits for memory. */
  boolean isWaiting() {
    return waiting;
  }

  /** Returns whether the sender should learn now how far the transfer came. */
  boolean isWordDue(long held) {
    // A word costs both sides a change of threads, so a sender with credit for the whole gets few.
    boolean enough = held - toldOffset >= (whole ? window : step);
    boolean runningOut = limit > toldLimit && toldLimit - held <= step;
    return enough || runningOut;
  }

  /** Notes what the sender learns now. */
  void told(long held) {
    toldOffset = held;
    toldLimit = limit;
  }

  /** Takes all credit back, and returns how many chunks of it were not used. */
  int release(long held) {
    released = true;
    return whole ? 0 : slots(limit - held);
  }

  private int slots(long bytes) {
    return (int) Math.min((Math.max(bytes, 0) + chunkBytes - 1) / chunkBytes, Integer.MAX_VALUE);
  }
}
