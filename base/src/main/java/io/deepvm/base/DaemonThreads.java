package io.deepvm.base;

import java.util.concurrent.ThreadFactory;

/** Makes named threads that do not keep the process alive. */
public final class DaemonThreads {

  private DaemonThreads() {}

  /** Returns a thread for a task, not started yet. */
  public static Thread of(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Starts a thread for a task. */
  public static Thread start(String name, Runnable task) {
    Thread thread = of(name, task);
    thread.start();
    return thread;
  }

  /** Returns a factory of threads that all have this name. */
  public static ThreadFactory named(String name) {
    return task -> of(name, task);
  }
}
