package io.deepvm.places;

/** Runs tasks later, asked from any thread; tests inject one that a fake clock drives. */
public interface Timers {

  /** Runs the task after this many microseconds, on the owner's one thread. */
  void after(long micros, Runnable task);

  /** Runs a task that may block, on another thread. */
  void aside(Runnable task);
}
