package io.deepvm.checkpoint.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A {@link CountDownLatch} on the scheduler. */
public final class SimulatedLatch extends CountDownLatch {

  private final List<SimulatedThread> waiters = new ArrayList<>();

  /** Makes a latch that opens after so many counts. */
  public SimulatedLatch(int count) {
    super(count);
  }

  @Override
  public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
    SimulatedThread me = SimulatedThread.current();
    Scheduler scheduler = me.scheduler();
    long until = scheduler.now() + unit.toNanos(timeout);
    while (getCount() > 0 && scheduler.now() < until) {
      me.checkInterrupt();
      waiters.add(me);
      scheduler.block(me, until);
      waiters.remove(me);
    }
    return getCount() == 0;
  }

  @Override
  public void await() throws InterruptedException {
    boolean unused = await(Integer.MAX_VALUE, TimeUnit.SECONDS);
  }

  @Override
  public void countDown() {
    super.countDown();
    if (getCount() == 0) {
      Mutex.wakeAll(SimulatedThread.current(), waiters);
    }
  }
}
