package io.deepvm.checkpoint;

import io.deepvm.base.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A few threads that do numbered tasks together with the caller. */
final class Crew implements Closeable {

  /** Does one task; the member number is below the crew's size, for memory of its own. */
  interface Task {
    void run(int member, int task) throws IOException;
  }

  private final int members;
  private final ExecutorService helpers;

  /** Starts all threads but the caller's. */
  Crew(String name, int members) {
    this.members = members;
    AtomicInteger count = new AtomicInteger();
    this.helpers =
        Executors.newFixedThreadPool(
            Math.max(1, members - 1),
            work -> DaemonThreads.of(name + "-" + count.incrementAndGet(), work));
  }

  int members() {
    return members;
  }

  /** Does all tasks and returns when none runs any more; the first failure ends the rest. */
  void run(int tasks, Task task) throws IOException {
    AtomicInteger next = new AtomicInteger();
    AtomicBoolean failed = new AtomicBoolean();
    List<Future<?>> others = new ArrayList<>();
    for (int member = 1; member < Math.min(members, tasks); member++) {
      int number = member;
      others.add(
          helpers.submit(
              () -> {
                work(number, tasks, next, failed, task);
                return null;
              }));
    }
    try {
      work(0, tasks, next, failed, task);
    } finally {
      await(others, failed);
    }
  }

  private static void work(
      int member, int tasks, AtomicInteger next, AtomicBoolean failed, Task task)
      throws IOException {
    boolean done = false;
    try {
      for (int i = next.getAndIncrement(); i < tasks && !failed.get(); i = next.getAndIncrement()) {
        task.run(member, i);
      }
      done = true;
    } finally {
      if (!done) {
        failed.set(true);
      }
    }
  }

  /** Waits for all, even when interrupted: none may touch the caller's memory afterwards. */
  private static void await(List<Future<?>> others, AtomicBoolean failed) throws IOException {
    boolean interrupted = false;
    Throwable problem = null;
    for (Future<?> other : others) {
      boolean waiting = true;
      while (waiting) {
        try {
          other.get();
          waiting = false;
        } catch (InterruptedException e) {
          interrupted = true;
          failed.set(true);
        } catch (ExecutionException e) {
          problem = problem == null ? e.getCause() : problem;
          waiting = false;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.");
    }
    if (problem instanceof IOException e) {
      throw e;
    }
    if (problem != null) {
      throw new IOException(problem);
    }
  }

  @Override
  public void close() {
    helpers.shutdown();
  }
}
