package io.deepvm.checkpoint.simulation;

import io.deepvm.transport.Generations;
import io.deepvm.transport.Name;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** What simulated code calls instead of the clocks, monitors and threads of the JDK. */
public final class Hooks {

  private static final int LARGE = 1 << 20;

  /** Buffers of earlier runs: clearing megabytes for each run would take most of its time. */
  private static final Deque<ByteBuffer> LARGE_BUFFERS = new ArrayDeque<>();

  private Hooks() {}

  private static SimulatedThread me() {
    return SimulatedThread.current();
  }

  public static long nanoTime() {
    return me().scheduler().now();
  }

  public static long currentTimeMillis() {
    return me().process().wallTime().toEpochMilli();
  }

  public static InstantSource system() {
    return me().process().wallClock();
  }

  public static Instant instantNow() {
    return me().process().wallTime();
  }

  public static Clock systemUtc() {
    SimulatedProcess process = me().process();
    return new Clock() {
      @Override
      public java.time.ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(java.time.ZoneId zone) {
        return this;
      }

      @Override
      public Instant instant() {
        return process.wallTime();
      }
    };
  }

  public static UUID randomUuid() {
    var ids = me().process().world().ids();
    return new UUID(ids.nextLong(), ids.nextLong());
  }

  public static Thread currentThread() {
    return me();
  }

  public static boolean interrupted() {
    return me().wasInterrupted();
  }

  public static void sleep(long millis) throws InterruptedException {
    sleep(TimeUnit.MILLISECONDS, millis);
  }

  public static void sleep(TimeUnit unit, long time) throws InterruptedException {
    SimulatedThread me = me();
    long until = me.scheduler().now() + unit.toNanos(time);
    me.checkInterrupt();
    while (me.scheduler().now() < until) {
      me.scheduler().block(me, until);
      me.checkInterrupt();
    }
  }

  public static void parkNanos(long nanos) {
    me().scheduler().block(me(), me().scheduler().now() + nanos);
  }

  public static void join(Thread thread) throws InterruptedException {
    SimulatedThread.join((SimulatedThread) thread, Long.MAX_VALUE);
  }

  public static void join(Thread thread, long millis) throws InterruptedException {
    long now = me().scheduler().now();
    SimulatedThread.join(
        (SimulatedThread) thread, millis == 0 ? Long.MAX_VALUE : now + millis * 1_000_000);
  }

  // Monitors.

  public static void enter(Object object) {
    me().process().world().monitors().computeIfAbsent(object, o -> new Mutex()).acquire(me());
  }

  public static void exit(Object object) {
    SimulatedThread me = me();
    var monitors = me.process().world().monitors();
    Mutex mutex = monitors.get(object);
    if (mutex != null) {
      mutex.release(me);
      if (mutex.isFree()) {
        monitors.remove(object);
      }
    }
  }

  public static void await(Object object) throws InterruptedException {
    Mutex mutex = me().process().world().monitors().get(object);
    mutex.await(me(), mutex.sleepers(), Long.MAX_VALUE, true);
  }

  public static void await(Object object, long millis) throws InterruptedException {
    timedWait(TimeUnit.MILLISECONDS, object, millis);
  }

  public static void timedWait(TimeUnit unit, Object object, long time)
      throws InterruptedException {
    Mutex mutex = me().process().world().monitors().get(object);
    long until = me().scheduler().now() + unit.toNanos(time);
    mutex.await(me(), mutex.sleepers(), until, true);
  }

  public static void signal(Object object) {
    Mutex.wakeOne(me(), me().process().world().monitors().get(object).sleepers());
  }

  public static void signalAll(Object object) {
    Mutex.wakeAll(me(), me().process().world().monitors().get(object).sleepers());
  }

  /** The transport is not loaded here, and its table may read a disk under its monitor. */
  public static long raise(Generations table, Name group, long generation) {
    enter(table);
    try {
      return table.raise(group, generation);
    } finally {
      exit(table);
    }
  }

  // Memory.

  public static ByteBuffer allocateDirect(int bytes) {
    me().process().world().faults().allocating(bytes);
    if (bytes < LARGE) {
      return ByteBuffer.allocate(bytes);
    }
    synchronized (LARGE_BUFFERS) {
      ByteBuffer known = LARGE_BUFFERS.poll();
      if (known == null || known.capacity() != bytes) {
        known = ByteBuffer.allocate(bytes);
      }
      me().process().world().lend(known);
      return known.clear();
    }
  }

  static void giveBack(Collection<ByteBuffer> buffers) {
    synchronized (LARGE_BUFFERS) {
      LARGE_BUFFERS.addAll(buffers);
    }
  }

  public static ByteBuffer allocate(int bytes) {
    me().process().world().faults().allocating(bytes);
    return ByteBuffer.allocate(bytes);
  }

  // Collections whose order would depend on the Java process.

  public static <T> Set<T> newKeySet() {
    return new OrderedMap.OrderedSet<>();
  }

  public static <T> Set<T> copyOf(Collection<? extends T> all) {
    return OrderedMap.copy(all);
  }

  public static <K, V> Map<K, V> copyOf(Map<? extends K, ? extends V> all) {
    return OrderedMap.copy(all);
  }

  // Pools.

  public static ExecutorService newFixedThreadPool(int threads, ThreadFactory factory) {
    return new SimulatedPool(
        threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
  }

  public static ScheduledExecutorService newSingleThreadScheduledExecutor(ThreadFactory factory) {
    return new SimulatedPool.Timer(factory);
  }

  /** Logs go into the event stream. */
  public static Logger getLogger(String name) {
    String simple = name.substring(name.lastIndexOf('.') + 1);
    return new Logger() {
      @Override
      public String getName() {
        return name;
      }

      @Override
      public boolean isLoggable(Level level) {
        return level.compareTo(Level.INFO) >= 0;
      }

      @Override
      public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
        note(level, message + ": " + thrown);
      }

      @Override
      public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
        note(level, java.text.MessageFormat.format(format, parameters));
      }

      private void note(Level level, String text) {
        SimulatedThread thread = me();
        if (isLoggable(level) && thread != null && !thread.process().isDead()) {
          thread.process().world().event(thread.process().name(), "log " + simple + ": " + text);
        }
      }
    };
  }
}
