package io.deepvm.checkpoint.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread pools of {@code java.util.concurrent} on the scheduler: some workers and a queue that
 * drops its oldest task when it is full.
 */
public final class SimulatedPool extends ThreadPoolExecutor {

  private final Deque<Runnable> queue = new ArrayDeque<>();
  private final List<SimulatedThread> workers = new ArrayList<>();
  private final List<SimulatedThread> idle = new ArrayList<>();
  private final List<SimulatedThread> awaiting = new ArrayList<>();
  private final ThreadFactory factory;
  private final int most;
  private final int room;
  private final RejectedExecutionHandler rule;
  private boolean stopped;

  /** Makes a pool; the seed, not idle time, decides how threads end. */
  public SimulatedPool(
      int core,
      int most,
      long idle,
      TimeUnit unit,
      BlockingQueue<Runnable> tasks,
      ThreadFactory factory,
      RejectedExecutionHandler rule) {
    super(1, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>());
    this.most = most;
    this.room = tasks.remainingCapacity();
    this.factory = factory;
    this.rule = rule;
  }

  /** Makes a pool whose queue has no bound. */
  public SimulatedPool(
      int core,
      int most,
      long idle,
      TimeUnit unit,
      BlockingQueue<Runnable> tasks,
      ThreadFactory factory) {
    this(core, most, idle, unit, tasks, factory, new AbortPolicy());
  }

  private SimulatedThread me() {
    return SimulatedThread.current();
  }

  @Override
  public void execute(Runnable task) {
    me().checkAlive();
    if (stopped) {
      rule.rejectedExecution(task, this);
      return;
    }
    queue.add(task);
    if (queue.size() > room) {
      queue.poll();
    }
    if (!idle.isEmpty()) {
      me().scheduler().wake(idle.remove(0));
    } else if (workers.size() < most) {
      hire();
    }
  }

  private void hire() {
    SimulatedThread worker = (SimulatedThread) factory.newThread(this::work);
    workers.add(worker);
    worker.start();
  }

  private void work() {
    SimulatedThread worker = me();
    try {
      while (true) {
        Runnable task = queue.poll();
        if (task != null) {
          task.run();
        } else if (stopped) {
          return;
        } else {
          idle.add(worker);
          worker.scheduler().block(worker, Long.MAX_VALUE);
          idle.remove(worker);
        }
      }
    } finally {
      workers.remove(worker);
      Mutex.wakeAll(worker, awaiting);
    }
  }

  @Override
  public <T> Future<T> submit(Callable<T> work) {
    SimulatedTask<T> task = new SimulatedTask<>(work);
    execute(task);
    return task;
  }

  @Override
  public Future<?> submit(Runnable work) {
    return submit(
        () -> {
          work.run();
          return null;
        });
  }

  @Override
  public boolean prestartCoreThread() {
    if (workers.isEmpty()) {
      hire();
      return true;
    }
    return false;
  }

  @Override
  public void allowCoreThreadTimeOut(boolean allowed) {}

  @Override
  public void shutdown() {
    stopped = true;
    SimulatedThread me = me();
    if (me != null) {
      Mutex.wakeAll(me, idle);
    }
  }

  @Override
  public List<Runnable> shutdownNow() {
    List<Runnable> left = new ArrayList<>(queue);
    queue.clear();
    shutdown();
    workers.forEach(SimulatedThread::interrupt);
    return left;
  }

  @Override
  public boolean isShutdown() {
    return stopped;
  }

  @Override
  public boolean isTerminated() {
    return stopped && workers.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    SimulatedThread me = me();
    long until = me.scheduler().now() + unit.toNanos(timeout);
    while (!workers.isEmpty() && me.scheduler().now() < until) {
      me.checkInterrupt();
      awaiting.add(me);
      me.scheduler().block(me, until);
      awaiting.remove(me);
    }
    return workers.isEmpty();
  }

  /** A pool for work that is done again and again: one thread for each kind of work. */
  static final class Timer extends ScheduledThreadPoolExecutor {

    private final ThreadFactory factory;
    private final List<SimulatedThread> workers = new ArrayList<>();
    private boolean stopped;

    Timer(ThreadFactory factory) {
      super(1);
      this.factory = factory;
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable work, long first, long pause, TimeUnit unit) {
      SimulatedThread worker =
          (SimulatedThread)
              factory.newThread(
                  () -> {
                    World world = World.current();
                    world.sleep(unit.toNanos(first));
                    while (!stopped) {
                      work.run();
                      world.sleep(unit.toNanos(pause));
                    }
                  });
      workers.add(worker);
      worker.start();
      return new SimulatedTask<Void>(() -> null);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long after, TimeUnit unit) {
      SimulatedThread worker =
          (SimulatedThread)
              factory.newThread(
                  () -> {
                    World.current().sleep(unit.toNanos(after));
                    if (!stopped) {
                      work.run();
                    }
                  });
      worker.start();
      return new SimulatedTask<Void>(() -> null);
    }

    @Override
    public void shutdown() {
      stopped = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      stopped = true;
      return List.of();
    }
  }
}
