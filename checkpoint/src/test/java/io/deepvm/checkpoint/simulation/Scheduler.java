package io.deepvm.checkpoint.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs threads one at a time on mock time. A thread keeps the baton until it blocks, sleeps or is
 * preempted; then the seed decides which thread goes on. When no thread can run, time jumps to the
 * next alarm.
 *
 * <p>Real threads, not callbacks: the engine, its tiers and the anchors are blocking code. {@link
 * SimulatedClasses} sends their locks, monitors, sleeps and clocks here while it loads them, so the
 * product has no switch, no extra interface and no slower path for the simulation's sake.
 */
public final class Scheduler {

  /** A run that switches more often than this does not end. */
  private static final long MOST_SWITCHES = 3_000_000;

  /** The longest real time that a run may take. */
  private static final Duration LONGEST_RUN = Duration.ofMinutes(2);

  /** One thread wakes up at a time, unless it was woken before: then its turn has changed. */
  private record Alarm(long at, long number, SimulatedThread thread, long turn)
      implements Comparable<Alarm> {

    @Override
    public int compareTo(Alarm other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  private final SplittableRandom order;
  private final Trace trace;
  private final List<SimulatedThread> ready = new ArrayList<>();
  private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
  private final Set<SimulatedThread> alive = new LinkedHashSet<>();
  private final CountDownLatch done = new CountDownLatch(1);
  private double preemption;
  private long now;
  private long alarmCount;
  private long switches;
  private long threadCount;
  private boolean over;
  private volatile Throwable failure;

  Scheduler(SplittableRandom order, Trace trace) {
    this.order = order;
    this.trace = trace;
  }

  /** Sets how often a thread that could go on lets another one go first. */
  public void preempt(double rate) {
    preemption = rate;
  }

  /** Returns the nanoseconds since the run began. */
  public long now() {
    return now;
  }

  Trace trace() {
    return trace;
  }

  long switches() {
    return switches;
  }

  /** Runs the main thread, and all that it starts, to its end. */
  void run(SimulatedThread main) throws InterruptedException {
    main.start();
    SimulatedThread first = next();
    if (first != null) {
      first.give();
      if (!done.await(LONGEST_RUN.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("The simulation hangs: " + alive);
      }
    }
    if (failure != null) {
      throw new IllegalStateException("The simulation itself failed.", failure);
    }
  }

  /** Ends the run without its threads, after a failure of the simulation itself. */
  void abandon(Throwable problem) {
    failure = problem;
    done.countDown();
  }

  void add(SimulatedThread thread) {
    thread.number = ++threadCount;
    alive.add(thread);
    thread.ready = true;
    ready.add(thread);
  }

  /** Lets others go first if the seed says so. */
  void point(SimulatedThread me) {
    me.checkAlive();
    if (preemption > 0 && order.nextDouble() < preemption) {
      goLast(me);
    }
  }

  void goLast(SimulatedThread me) {
    me.ready = true;
    ready.add(me);
    pass(me);
    me.checkAlive();
  }

  /** Blocks until woken or until the time, if it is not {@link Long#MAX_VALUE}. */
  void block(SimulatedThread me, long until) {
    me.checkAlive();
    me.turn++;
    me.ready = false;
    if (until != Long.MAX_VALUE) {
      alarms.add(new Alarm(until, alarmCount++, me, me.turn));
    }
    pass(me);
    me.checkAlive();
  }

  void wake(SimulatedThread thread) {
    if (!thread.ready && !thread.ended) {
      thread.turn++;
      thread.ready = true;
      ready.add(thread);
    }
  }

  /** Ends a process: its threads unwind, and nothing they do on the way has an effect. */
  void kill(SimulatedProcess process) {
    process.dead = true;
    for (SimulatedThread thread : List.copyOf(alive)) {
      if (thread.process() == process) {
        wake(thread);
      }
    }
    process.world().silent(process);
  }

  /** Ends the run: every process is killed. */
  void end() {
    over = true;
    for (SimulatedThread thread : List.copyOf(alive)) {
      thread.process().dead = true;
      wake(thread);
    }
  }

  /** Called by a thread as its last act. */
  void ended(SimulatedThread me) {
    me.ended = true;
    alive.remove(me);
    me.joiners.forEach(this::wake);
    SimulatedThread next = next();
    if (next == null) {
      done.countDown();
    } else {
      next.give();
    }
  }

  private void pass(SimulatedThread me) {
    SimulatedThread next = next();
    if (next == null) {
      throw new IllegalStateException("No thread is left, not even this one.");
    }
    if (next != me) {
      next.give();
      me.takeBaton();
    }
  }

  /** Returns the thread to run, or null when all have ended. */
  private SimulatedThread next() {
    if (++switches == MOST_SWITCHES) {
      fail("The run does not come to an end.");
    }
    while (true) {
      if (!ready.isEmpty()) {
        SimulatedThread thread = takeReady();
        long pause = thread.process().pausedUntil;
        if (pause <= now || thread.process().dead) {
          return thread;
        }
        thread.ready = false;
        thread.turn++;
        alarms.add(new Alarm(pause, alarmCount++, thread, thread.turn));
      } else if (!ring()) {
        if (alive.isEmpty()) {
          return null;
        }
        fail("All threads wait for each other: " + alive);
      }
    }
  }

  private SimulatedThread takeReady() {
    int last = ready.size() - 1;
    int chosen = last == 0 ? 0 : order.nextInt(last + 1);
    SimulatedThread thread = ready.get(chosen);
    ready.set(chosen, ready.get(last));
    ready.remove(last);
    return thread;
  }

  /** Moves time to the next alarm; returns whether there was one. */
  private boolean ring() {
    for (Alarm alarm = alarms.poll(); alarm != null; alarm = alarms.poll()) {
      if (alarm.turn == alarm.thread.turn && !alarm.thread.ended) {
        now = Math.max(now, alarm.at);
        wake(alarm.thread);
        return true;
      }
    }
    return false;
  }

  private void fail(String problem) {
    if (over) {
      throw new IllegalStateException(problem);
    }
    trace.problem(problem);
    end();
  }
}
