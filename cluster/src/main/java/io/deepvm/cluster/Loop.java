package io.deepvm.cluster;

import io.deepvm.cluster.log.EventLog;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The one thread on which all that changes a run happens, what is to happen there, and others for
 * what would hold it up.
 */
final class Loop {

  /** A step of that thread. */
  interface Step {
    void run() throws IOException;
  }

  /** Where and when steps are taken; after {@link #stop} none is. */
  interface Timers {

    /** Takes the task in the run's thread after this many microseconds. */
    void after(long micros, Runnable task);

    /** Takes the task in the run's thread again and again. */
    void every(long ms, Runnable task);

    /** Takes the task in another thread. */
    void aside(Runnable task);

    /** Ends the run's thread; tasks aside are done to their end. */
    void stop();
  }

  private final EventLog log;
  private final Consumer<Throwable> crash;
  private final Timers timers;
  private final AtomicInteger waiting = new AtomicInteger();
  private Runnable settled = () -> {};

  /**
   * Prepares a loop.
   *
   * @param log brought to disk once for all that happened together
   * @param crash told of a step that failed
   */
  Loop(EventLog log, Consumer<Throwable> crash, Timers timers) {
    this.log = log;
    this.crash = crash;
    this.timers = timers;
  }

  /** Has a task done after each step. */
  void afterEach(Runnable task) {
    settled = task;
  }

  /** Takes the step as soon as those before it are taken, unless the run is over. */
  void post(Step step) {
    waiting.incrementAndGet();
    timers.after(
        0,
        () -> {
          waiting.decrementAndGet();
          take(step);
        });
  }

  /** Takes the step later, unless the run is over. */
  void after(double seconds, Step step) {
    timers.after(Math.round(seconds * 1e6), () -> take(step));
  }

  /** Takes the step again and again. */
  void every(long ms, Step step) {
    timers.every(ms, () -> take(step));
  }

  /** Does beside that thread what may take long, unless the run is over. */
  void aside(Runnable task) {
    timers.aside(task);
  }

  /** Takes no further steps; what is done aside is done to its end. */
  void stop() {
    timers.stop();
  }

  private void take(Step step) {
    try {
      step.run();
      settled.run();
      if (waiting.get() == 0) {
        log.sync();
      }
    } catch (IOException | RuntimeException e) {
      crash.accept(e);
    }
  }

  /** The process's own threads and clock. */
  static final class Threads implements Timers {

    private final ScheduledExecutorService thread =
        Executors.newScheduledThreadPool(1, task -> daemon("run", task));
    private final ExecutorService helpers =
        Executors.newCachedThreadPool(task -> daemon("run-helper", task));

    @Override
    public void after(long micros, Runnable task) {
      try {
        var unused = thread.schedule(task, micros, TimeUnit.MICROSECONDS);
      } catch (RejectedExecutionException e) {
        // The run is over.
      }
    }

    @Override
    public void every(long ms, Runnable task) {
      var unused = thread.scheduleWithFixedDelay(task, ms, ms, TimeUnit.MILLISECONDS);
    }

    @Override
    public void aside(Runnable task) {
      try {
        helpers.execute(task);
      } catch (RejectedExecutionException e) {
        // The run is over.
      }
    }

    @Override
    public void stop() {
      thread.shutdownNow();
      helpers.shutdown();
    }
  }

  static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
