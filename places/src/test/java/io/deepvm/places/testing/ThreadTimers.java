package io.deepvm.places.testing;

import io.deepvm.places.Timers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Timers with real threads and real time. */
public final class ThreadTimers implements Timers, AutoCloseable {

  private final ScheduledExecutorService owner =
      Executors.newSingleThreadScheduledExecutor(ThreadTimers::daemon);
  private final ExecutorService helpers = Executors.newCachedThreadPool(ThreadTimers::daemon);
  private volatile CountDownLatch gate = new CountDownLatch(0);

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "test-timers");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void after(long micros, Runnable task) {
    if (!owner.isShutdown()) {
      ScheduledFuture<?> unused = owner.schedule(task, micros, TimeUnit.MICROSECONDS);
    }
  }

  @Override
  public void aside(Runnable task) {
    if (!helpers.isShutdown()) {
      CountDownLatch now = gate;
      // A task that fails ends quietly, like a coordinator that is killed.
      var unused =
          helpers.submit(
              () -> {
                now.await();
                task.run();
                return null;
              });
    }
  }

  /** Lets tasks aside wait from now on, or lets those that wait go on. */
  public void hold(boolean wait) {
    gate.countDown();
    if (wait) {
      gate = new CountDownLatch(1);
    }
  }

  /** Runs a task on the owner's thread, and returns when it is done. */
  public void call(Runnable task) {
    try {
      owner.submit(task).get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("The owner's thread failed or is blocked.", e);
    }
  }

  @Override
  public void close() {
    hold(false);
    owner.shutdownNow();
    helpers.shutdown();
  }
}
