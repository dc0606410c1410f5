package io.deepvm.checkpoint.simulation;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A {@link ReentrantLock} on the scheduler. */
public final class SimulatedLock extends ReentrantLock {

  private final transient Mutex mutex = new Mutex();

  /** Makes a free lock. */
  public SimulatedLock() {}

  /** Makes a free lock; the scheduler decides about fairness. */
  public SimulatedLock(boolean fair) {
    super(fair);
  }

  private static SimulatedThread me() {
    return SimulatedThread.current();
  }

  @Override
  public void lock() {
    mutex.acquire(me());
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    mutex.acquire(me(), Long.MAX_VALUE, true);
  }

  @Override
  public boolean tryLock() {
    return mutex.tryAcquire(me());
  }

  @Override
  public boolean tryLock(long timeout, TimeUnit unit) throws InterruptedException {
    return mutex.acquire(me(), me().scheduler().now() + unit.toNanos(timeout), true);
  }

  @Override
  public void unlock() {
    mutex.release(me());
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return mutex.isOwnedBy(me());
  }

  @Override
  public boolean isLocked() {
    return mutex.isOwned();
  }

  @Override
  public Condition newCondition() {
    return new Waiting(mutex);
  }

  private static final class Waiting implements Condition {

    private final Mutex mutex;
    private final List<SimulatedThread> sleepers = new ArrayList<>();

    Waiting(Mutex mutex) {
      this.mutex = mutex;
    }

    @Override
    public void await() throws InterruptedException {
      mutex.await(me(), sleepers, Long.MAX_VALUE, true);
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
      return rest(nanos);
    }

    private long rest(long nanos) throws InterruptedException {
      Scheduler scheduler = me().scheduler();
      long until = scheduler.now() + nanos;
      if (nanos > 0) {
        mutex.await(me(), sleepers, until, true);
      }
      return until - scheduler.now();
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
      return rest(unit.toNanos(time)) > 0;
    }

    @Override
    public void awaitUninterruptibly() {
      try {
        mutex.await(me(), sleepers, Long.MAX_VALUE, false);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public boolean awaitUntil(Date deadline) {
      throw new UnsupportedOperationException("Wall clock deadlines are not simulated.");
    }

    @Override
    public void signal() {
      Mutex.wakeOne(me(), sleepers);
    }

    @Override
    public void signalAll() {
      Mutex.wakeAll(me(), sleepers);
    }
  }
}
