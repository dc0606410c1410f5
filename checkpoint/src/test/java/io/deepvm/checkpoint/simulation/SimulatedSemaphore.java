package io.deepvm.checkpoint.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A {@link Semaphore} on the scheduler. */
public final class SimulatedSemaphore extends Semaphore {

  private final transient List<SimulatedThread> waiters = new ArrayList<>();

  /** Makes one with so many permits. */
  public SimulatedSemaphore(int permits) {
    super(permits);
  }

  /** Makes one with so many permits; the scheduler decides about fairness. */
  public SimulatedSemaphore(int permits, boolean fair) {
    super(permits, fair);
  }

  @Override
  public boolean tryAcquire(int permits, long timeout, TimeUnit unit) throws InterruptedException {
    SimulatedThread me = SimulatedThread.current();
    Scheduler scheduler = me.scheduler();
    scheduler.point(me);
    long until = scheduler.now() + unit.toNanos(timeout);
    me.checkInterrupt();
    while (!super.tryAcquire(permits)) {
      if (scheduler.now() >= until) {
        return false;
      }
      waiters.add(me);
      try {
        scheduler.block(me, until);
      } finally {
        waiters.remove(me);
      }
      me.checkInterrupt();
    }
    return true;
  }

  @Override
  public boolean tryAcquire(long timeout, TimeUnit unit) throws InterruptedException {
    return tryAcquire(1, timeout, unit);
  }

  @Override
  public void acquire(int permits) throws InterruptedException {
    boolean unused = tryAcquire(permits, Integer.MAX_VALUE, TimeUnit.SECONDS);
  }

  @Override
  public void acquire() throws InterruptedException {
    acquire(1);
  }

  @Override
  public void release(int permits) {
    super.release(permits);
    SimulatedThread me = SimulatedThread.current();
    waiters.forEach(me.scheduler()::wake);
  }

  @Override
  public void release() {
    release(1);
  }
}
