package io.deepvm.checkpoint;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** The life cycle of an engine, and the lock that guards its queues and deliveries. */
final class EngineLife {

  private enum Phase {
    LATENT,
    STARTED,
    CLOSING,
    CLOSED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Phase phase = Phase.LATENT;

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /** Wakes all threads that wait for a change; the caller holds the lock. */
  void signal() {
    changed.signalAll();
  }

  /** Waits until a condition does not hold any more; the caller holds the lock. */
  void awaitWhile(BooleanSupplier condition) throws InterruptedException {
    while (condition.getAsBoolean()) {
      changed.await();
    }
  }

  /**
   * Waits until a condition does not hold any more or the time is up; the caller holds the lock.
   */
  void awaitWhile(BooleanSupplier condition, long nanos) throws InterruptedException {
    long rest = nanos;
    while (condition.getAsBoolean() && rest > 0) {
      rest = changed.awaitNanos(rest);
    }
  }

  /** Begins the life; the caller holds the lock. */
  void start() {
    if (phase != Phase.LATENT) {
      throw new IllegalStateException("The engine was started before.");
    }
    phase = Phase.STARTED;
  }

  /** Takes no more saves, and returns whether the engine was running; the caller holds the lock. */
  boolean startClosing() {
    if (phase != Phase.STARTED) {
      return false;
    }
    phase = Phase.CLOSING;
    signal();
    return true;
  }

  /** Ends the life; the caller holds the lock. */
  void end() {
    phase = Phase.CLOSED;
    signal();
  }

  boolean isStarted() {
    lock.lock();
    try {
      return phase == Phase.STARTED;
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return phase == Phase.CLOSED;
    } finally {
      lock.unlock();
    }
  }
}
