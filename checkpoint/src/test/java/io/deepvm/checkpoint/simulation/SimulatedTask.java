package io.deepvm.checkpoint.simulation;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A {@link FutureTask} that is waited for on the scheduler. */
public final class SimulatedTask<T> extends SimulatedFuture<T>
    implements RunnableScheduledFuture<T> {

  private final Callable<T> work;

  /** Makes a task that was not run. */
  public SimulatedTask(Callable<T> work) {
    this.work = work;
  }

  @Override
  public void run() {
    try {
      complete(work.call());
    } catch (SimulatedProcess.Died e) {
      throw e;
    } catch (Throwable e) {
      completeExceptionally(e);
    }
  }

  @Override
  public boolean isPeriodic() {
    return false;
  }

  @Override
  public long getDelay(TimeUnit unit) {
    return 0;
  }

  @Override
  public int compareTo(Delayed other) {
    return 0;
  }
}
