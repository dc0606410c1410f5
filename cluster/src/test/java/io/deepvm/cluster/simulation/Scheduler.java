package io.deepvm.cluster.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;

/** One queue of everything that will happen, on a clock that jumps from event to event. */
final class Scheduler {

  private record Task(long atMicros, long number, Life owner, Runnable work) {}

  /** What a task belongs to; tasks of a dead process are dropped. */
  static final class Life {
    private boolean dead;

    void kill() {
      dead = true;
    }

    boolean isDead() {
      return dead;
    }
  }

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::atMicros).thenComparingLong(Task::number));
  private long nowMicros = 1_700_000_000_000_000L;
  private long numbers;

  long nowMs() {
    return nowMicros / 1000;
  }

  /** Runs the work later, if its process still lives then. */
  void after(Life owner, long micros, Runnable work) {
    tasks.add(new Task(nowMicros + Math.max(0, micros), ++numbers, owner, work));
  }

  void afterMs(Life owner, long ms, Runnable work) {
    after(owner, ms * 1000, work);
  }

  /** Runs the next task that is not later than the given time; false if there is none. */
  boolean step(long untilMs) {
    while (!tasks.isEmpty() && tasks.peek().atMicros() <= untilMs * 1000) {
      Task next = tasks.remove();
      nowMicros = Math.max(nowMicros, next.atMicros());
      if (!next.owner().isDead()) {
        next.work().run();
        return true;
      }
    }
    return false;
  }
}
