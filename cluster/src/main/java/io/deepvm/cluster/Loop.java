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

  private final EventLog log;
  private final Consumer<Throwable> crash;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ScheduledExecutorService thread =
      Executors.newScheduledThreadPool(1, task -> daemon("run", task));
  private final ExecutorService helpers =
      Executors.newCachedThreadPool(task -> daemon("run-helper", task));

  /**
   * Prepares a loop.
   *
   * @param log brought to disk once for all that happened together
   * @param crash told of a step that failed
   */
  Loop(EventLog log, Consumer<Throwable> crash) {
    this.log = log;
    this.crash = crash;
  }

  /** Takes the step as soon as those before it are taken, unless the run is over. */
  void post(Step step) {
    waiting.incrementAndGet();
    try {
      thread.execute(
          () -> {
            waiting.decrementAndGet();
            take(step);
          });
    } catch (RejectedExecutionException e) {
      // The run is over.
    }
  }

  /** Takes the step later, unless the run is over. */
  void after(double seconds, Step step) {
    try {
      var unused =
          thread.schedule(() -> take(step), Math.round(seconds * 1e6), TimeUnit.MICROSECONDS);
    } catch (RejectedExecutionException e) {
      // The run is over.
    }
  }

  /** Takes the step again and again. */
  void every(long ms, Step step) {
    var unused = thread.scheduleWithFixedDelay(() -> take(step), ms, ms, TimeUnit.MILLISECONDS);
  }

  /** Does beside that thread what may take long, unless the run is over. */
  void aside(Runnable task) {
    try {
      helpers.execute(task);
    } catch (RejectedExecutionException e) {
      // The run is over.
    }
  }

  /** Takes no further steps; what is done aside is done to its end. */
  void stop() {
    thread.shutdownNow();
    helpers.shutdown();
  }

  private void take(Step step) {
    try {
      step.run();
      if (waiting.get() == 0) {
        log.sync();
      }
    } catch (IOException | RuntimeException e) {
      crash.accept(e);
    }
  }

  static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
