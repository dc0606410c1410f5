package io.deepvm.checkpoint.simulation;

import java.util.ArrayList;
import java.util.List;

/** A reentrant lock on the scheduler: what simulated locks and monitors share. */
final class Mutex {

  private final List<SimulatedThread> waiters = new ArrayList<>();
  private final List<SimulatedThread> sleepers = new ArrayList<>();
  private SimulatedThread owner;
  private int users;
  private int holds;

  boolean isFree() {
    return owner == null && users == 0;
  }

  boolean isOwnedBy(SimulatedThread thread) {
    return owner == thread;
  }

  boolean isOwned() {
    return owner != null;
  }

  /** Acquires it by the time, or returns false. */
  boolean acquire(SimulatedThread me, long until, boolean interruptible)
      throws InterruptedException {
    users++;
    try {
      return acquired(me, until, interruptible);
    } finally {
      users--;
    }
  }

  private boolean acquired(SimulatedThread me, long until, boolean interruptible)
      throws InterruptedException {
    Scheduler scheduler = me.scheduler();
    if (owner != me) {
      scheduler.point(me);
    }
    if (interruptible) {
      me.checkInterrupt();
    }
    while (owner != null && owner != me) {
      if (scheduler.now() >= until) {
        return false;
      }
      waiters.add(me);
      try {
        scheduler.block(me, until);
      } finally {
        waiters.remove(me);
      }
      if (interruptible && me.isInterrupted()) {
        if (owner == null && !waiters.isEmpty()) {
          scheduler.wake(waiters.get(0));
        }
        me.checkInterrupt();
      }
    }
    owner = me;
    holds++;
    return true;
  }

  void acquire(SimulatedThread me) {
    try {
      acquire(me, Long.MAX_VALUE, false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  boolean tryAcquire(SimulatedThread me) {
    me.checkAlive();
    if (owner != null && owner != me) {
      return false;
    }
    owner = me;
    holds++;
    return true;
  }

  void release(SimulatedThread me) {
    if (owner != me) {
      if (me.process().dead) {
        // it died while it waited, and unwinds through the release
        return;
      }
      throw new IllegalMonitorStateException(me + " does not hold the lock.");
    }
    if (--holds == 0) {
      owner = null;
      if (!waiters.isEmpty()) {
        me.scheduler().wake(waiters.get(0));
      }
    }
  }

  /** Waits on a list of sleepers without the lock, and has the lock again afterwards. */
  void await(SimulatedThread me, List<SimulatedThread> queue, long until, boolean interruptible)
      throws InterruptedException {
    me.checkAlive();
    if (owner != me) {
      throw new IllegalMonitorStateException(me + " does not hold the lock.");
    }
    if (interruptible) {
      me.checkInterrupt();
    }
    int held = holds;
    holds = 1;
    queue.add(me);
    users++;
    release(me);
    try {
      me.scheduler().block(me, until);
      acquire(me);
      holds = held;
    } finally {
      queue.remove(me);
      users--;
    }
    if (interruptible) {
      me.checkInterrupt();
    }
  }

  List<SimulatedThread> sleepers() {
    return sleepers;
  }

  static void wakeOne(SimulatedThread me, List<SimulatedThread> queue) {
    if (!queue.isEmpty()) {
      me.scheduler().wake(queue.remove(0));
    }
  }

  static void wakeAll(SimulatedThread me, List<SimulatedThread> queue) {
    while (!queue.isEmpty()) {
      me.scheduler().wake(queue.remove(0));
    }
  }
}
