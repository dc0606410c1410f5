package io.deepvm.checkpoint.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A {@link FutureTask} that is waited for on the scheduler. */
public final class SimulatedFutureTask<T> extends FutureTask<T> {

  private final List<SimulatedThread> waiters = new ArrayList<>();

  /** Makes a task that was not run. */
  public SimulatedFutureTask(Callable<T> work) {
    super(work);
  }

  @Override
  protected void done() {
    Mutex.wakeAll(SimulatedThread.current(), waiters);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    SimulatedThread me = SimulatedThread.current();
    while (!isDone()) {
      me.checkInterrupt();
      waiters.add(me);
      me.scheduler().block(me, Long.MAX_VALUE);
      waiters.remove(me);
    }
    return super.get();
  }
}
