package io.deepvm.cluster.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;

/** One queue of everything that will happen, on a clock that jumps from event to event. */
final class Scheduler {

  private record Task(long atMicros, long number, Life owner, Runnable work) {}

  /** What a task belongs to; tasks of a dead process are dropped. */
  static final class Life {
    private boolean dead;
    private long standsUntilMicros;

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

  /** Returns how many tasks were planned, which differs as soon as two runs differ at all. */
  long planned() {
    return numbers;
  }

  /** Lets a process stand still for a while; messages to it wait. */
  void stand(Life owner, long ms) {
    owner.standsUntilMicros = nowMicros + ms * 1000;
  }

  void afterMs(Life owner, long ms, Runnable work) {
    after(owner, ms * 1000, work);
  }

  /** Runs the next task that is not later than the given time; false if there is none. */
  boolean step(long untilMs) {
    while (!tasks.isEmpty() && tasks.peek().atMicros() <= untilMs * 1000) {
      Task next = tasks.remove();
      nowMicros = Math.max(nowMicros, next.atMicros());
      if (next.owner().isDead()) {
        continue;
      }
      if (next.owner().standsUntilMicros > nowMicros) {
        // What it would have done happens in the same order afterwards.
        tasks.add(
            new Task(next.owner().standsUntilMicros, next.number(), next.owner(), next.work()));
        continue;
      }
      next.work().run();
      return true;
    }
    return false;
  }
}
