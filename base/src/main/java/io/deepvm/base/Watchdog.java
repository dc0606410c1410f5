package io.deepvm.base;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Something that a timer looks after again and again. A timer silently gives up a task that throws,
 * so this one logs whatever is thrown, errors included.
 */
public record Watchdog(String name, Runnable look) implements Runnable {

  private static final System.Logger LOG = System.getLogger(Watchdog.class.getName());

  /** Lets the timer look after each pause, until the timer ends. */
  public void every(Duration pause, ScheduledExecutorService timer) {
    long nanos = pause.toNanos();
    var unused = timer.scheduleWithFixedDelay(this, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void run() {
    try {
      look.run();
    } catch (RuntimeException | Error e) {
      OutOfMemory.endIf(e);
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", name, e.toString());
    }
  }
}
