package io.deepvm.checkpoint.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands for a thread of the simulated code. It is never started as the Java thread it also is: a
 * carrier runs its work while it has the baton.
 */
public final class SimulatedThread extends Thread {

  /** Java threads that wait for work; creating one for each simulated thread would be slow. */
  private static final class Carrier extends Thread {

    private static final Deque<Carrier> IDLE = new ArrayDeque<>();
    private volatile SimulatedThread work;

    static void run(SimulatedThread thread) {
      Carrier carrier;
      synchronized (IDLE) {
        carrier = IDLE.poll();
      }
      if (carrier == null) {
        carrier = new Carrier();
        carrier.setDaemon(true);
        carrier.work = thread;
        thread.carrier = carrier;
        carrier.start();
      } else {
        thread.carrier = carrier;
        carrier.work = thread;
        LockSupport.unpark(carrier);
      }
    }

    @Override
    public void run() {
      while (true) {
        SimulatedThread thread = work;
        if (thread == null) {
          LockSupport.park(this);
          continue;
        }
        thread.baton = false;
        thread.live();
        work = null;
        synchronized (IDLE) {
          IDLE.push(this);
        }
        try {
          thread.scheduler().ended(thread);
        } catch (RuntimeException | Error e) {
          thread.scheduler().abandon(e);
        }
      }
    }
  }

  private final SimulatedProcess process;
  private final Runnable body;
  private volatile boolean baton;
  private Carrier carrier;
  long number;
  long turn;
  boolean ready;
  boolean ended;
  final List<SimulatedThread> joiners = new ArrayList<>();
  private boolean interrupted;

  SimulatedThread(SimulatedProcess process, Runnable body, String name) {
    super(name);
    this.process = process;
    this.body = body;
  }

  /** Makes a thread of the caller's process. */
  public SimulatedThread(Runnable body, String name) {
    this(current().process, body, name);
  }

  /** Makes a thread of the caller's process. */
  public SimulatedThread(Runnable body) {
    this(body, "thread");
  }

  /** Returns the simulated thread that runs now; null outside of a simulation. */
  public static SimulatedThread current() {
    return Thread.currentThread() instanceof Carrier carrier ? carrier.work : null;
  }

  SimulatedProcess process() {
    return process;
  }

  Scheduler scheduler() {
    return process.world().scheduler();
  }

  private void live() {
    try {
      if (!process.dead) {
        body.run();
      }
    } catch (SimulatedProcess.Died e) {
      // killed
    } catch (Throwable e) {
      if (!process.dead) {
        process.world().trace().problem("The thread %s ended by %s".formatted(this, e), e);
      }
    }
  }

  /** Throws when the process was killed. */
  void checkAlive() {
    if (process.dead) {
      throw new SimulatedProcess.Died();
    }
  }

  void give() {
    baton = true;
    if (carrier == null) {
      Carrier.run(this);
    } else {
      LockSupport.unpark(carrier);
    }
  }

  void takeBaton() {
    while (!baton) {
      LockSupport.park(this);
    }
    baton = false;
  }

  @Override
  public synchronized void start() {
    SimulatedThread me = current();
    if (me != null) {
      me.checkAlive();
    }
    scheduler().add(this);
  }

  @Override
  public void interrupt() {
    interrupted = true;
    scheduler().wake(this);
  }

  @Override
  public boolean isInterrupted() {
    return interrupted;
  }

  /** Throws if it was interrupted, and forgets that. */
  void checkInterrupt() throws InterruptedException {
    if (interrupted) {
      interrupted = false;
      throw new InterruptedException();
    }
  }

  boolean wasInterrupted() {
    boolean was = interrupted;
    interrupted = false;
    return was;
  }

  /** Waits until a thread has ended, or until the time. */
  static void join(SimulatedThread other, long until) throws InterruptedException {
    SimulatedThread me = current();
    Scheduler scheduler = me.scheduler();
    scheduler.point(me);
    while (!other.ended && scheduler.now() < until) {
      me.checkInterrupt();
      other.joiners.add(me);
      scheduler.block(me, until);
      other.joiners.remove(me);
    }
    me.checkInterrupt();
  }

  @Override
  public String toString() {
    return process.name() + "/" + getName();
  }
}
