package io.deepvm.cluster.shell;

import io.deepvm.base.DaemonThreads;
import io.deepvm.places.Timers;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The thread of a coordinator, and helper threads for calls that block. */
public final class RunThread implements Timers, Executor {

  private final ScheduledExecutorService thread =
      Executors.newScheduledThreadPool(1, DaemonThreads.named("run"));
  private final ExecutorService helpers =
      Executors.newCachedThreadPool(DaemonThreads.named("run-helper"));

  @Override
  public void after(long micros, Runnable task) {
    try {
      var unused = thread.schedule(task, micros, TimeUnit.MICROSECONDS);
    } catch (RejectedExecutionException e) {
      // The run is over.
    }
  }

  @Override
  public void execute(Runnable task) {
    after(0, task);
  }

  @Override
  public void aside(Runnable task) {
    try {
      helpers.execute(task);
    } catch (RejectedExecutionException e) {
      // The run is over.
    }
  }

  /** Ends the thread; calls that block run to their end. */
  public void stop() {
    thread.shutdownNow();
    helpers.shutdown();
  }
}
