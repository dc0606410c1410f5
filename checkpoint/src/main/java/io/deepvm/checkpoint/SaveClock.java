package io.deepvm.checkpoint;

import java.util.function.LongSupplier;

/** Decides when to save: the first time that it is asked, and then as often as costs least. */
final class SaveClock {

  private final LongSupplier nanoTime;
  private final SaveInterval interval;
  private final boolean mayBlock;
  private boolean begun;
  private boolean staged;
  private long lastSaveAt;
  private long lastBytes;
  private long askedStep = -1;
  private long askedAt;
  private double stepNanos;

  SaveClock(LongSupplier nanoTime, SaveInterval interval, boolean mayBlock) {
    this.nanoTime = nanoTime;
    this.interval = interval;
    this.mayBlock = mayBlock;
  }

  /** Notes that a save begins. */
  synchronized void begins(long bytes) {
    begun = true;
    lastSaveAt = nanoTime.getAsLong();
    lastBytes = bytes;
  }

  /** Notes that a state was staged. */
  synchronized void staged() {
    staged = true;
  }

  /** Returns whether now is a good time to save, at the end of a step. */
  synchronized boolean isDue(long step, Admission admission) {
    long now = nanoTime.getAsLong();
    long best = interval.best().toNanos();
    if (askedStep >= 0 && step > askedStep) {
      stepNanos = (now - askedAt) / (double) (step - askedStep);
    }
    askedStep = step;
    askedAt = now;
    if (!admission.isOpen()) {
      return false;
    }
    if (!staged) {
      return !begun || now - lastSaveAt >= best;
    }
    // the nearer of this step's end and the next one's
    return (mayBlock || admission.hasRoom(lastBytes)) && now - lastSaveAt + stepNanos / 2 >= best;
  }
}
