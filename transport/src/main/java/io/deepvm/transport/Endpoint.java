package io.deepvm.transport;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What all connections of a server or a client share: options, memory, threads and time. */
final class Endpoint {

  private static final System.Logger LOG = System.getLogger(Endpoint.class.getName());

  /** How many handler calls and sink writes run at a time. */
  private static final int WORKERS = 16;

  private static final Duration CLOSE_WAIT = Duration.ofSeconds(10);

  private final TransportOptions options;
  private final Budget budget;
  private final TransferLedger ledger = new TransferLedger();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final Unproven unproven = new Unproven();
  private final Refusals refusals;
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor workers;
  private final String name;
  private boolean started;
  private boolean closed;

  Endpoint(String name, TransportOptions options) {
    this.name = name;
    this.options = options;
    budget = new Budget(options.limits());
    refusals = new Refusals(options.nanoClock());
    workers =
        new ThreadPoolExecutor(
            1,
            WORKERS,
            5,
            TimeUnit.SECONDS,
            new Waiting(),
            task -> named("worker", options.threads().newThread(task)),
            Endpoint::queue);
  }

  /**
   * Tasks that wait for a worker. It refuses a task that no idle worker takes at once, so that the
   * pool starts a worker, and only when there are enough of them does the task wait. A plain queue
   * would keep all workers of an endpoint that needs one, which adds up for many endpoints.
   */
  private static final class Waiting extends LinkedTransferQueue<Runnable> {

    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }
  }

  private static void queue(Runnable task, ThreadPoolExecutor full) {
    if (!full.isShutdown()) {
      full.getQueue().add(task);
      // Closed meanwhile: nobody may be left to take it.
      if (!full.isShutdown() || !full.remove(task)) {
        return;
      }
    }
    throw new RejectedExecutionException("The endpoint is closed.");
  }

  TransportOptions options() {
    return options;
  }

  Budget budget() {
    return budget;
  }

  TransferLedger ledger() {
    return ledger;
  }

  void start() {
    synchronized (this) {
      if (started || closed) {
        throw new IllegalStateException("An endpoint starts once, before it is closed.");
      }
      started = true;
    }
    spawn("ticker", this::tickUntilClosed);
  }

  /** Starts a thread that {@link #close} waits for. */
  void spawn(String role, Runnable task) {
    Thread thread =
        options
            .threads()
            .newThread(
                () -> {
                  try {
                    task.run();
                  } finally {
                    threads.remove(Thread.currentThread());
                  }
                });
    threads.add(named(role, thread));
    thread.start();
  }

  /** Runs something that may block on a worker; after the end, here. */
  void execute(Runnable task) {
    try {
      workers.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /** Whether there is room for a connection that this side makes. */
  synchronized boolean add(Connection connection) {
    return isOpen() && hasRoom() && connections.add(connection);
  }

  /**
   * Takes a connection that another side made and that is not proven yet; false when closed. The
   * oldest unproven one goes if there are too many.
   */
  boolean addUnproven(Connection connection) {
    Connection leaving;
    synchronized (this) {
      if (!isOpen()) {
        return false;
      }
      connections.add(connection);
      leaving = unproven.add(connection);
    }
    if (leaving != null) {
      leaving.end("Too many connections prove nothing.");
    }
    return true;
  }

  /** Counts a connection among the proven ones, if there is room. */
  synchronized boolean admit(Connection connection) {
    return hasRoom() && unproven.remove(connection);
  }

  private boolean isOpen() {
    return started && !closed;
  }

  private boolean hasRoom() {
    return connections.size() - unproven.size() < options.limits().connections();
  }

  synchronized void remove(Connection connection) {
    connections.remove(connection);
    unproven.remove(connection);
  }

  /** Counts a connection that ended before it was proven, unless this side closed. */
  void refused(InetSocketAddress from, String reason) {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    refusals.add(from, reason);
  }

  Usage usage() {
    return new Usage(
        connections.size(),
        refusals.total(),
        budget.grantedBytes(),
        budget.peakGrantedBytes(),
        budget.lentBytes(),
        budget.allocatedBytes());
  }

  /** Ends all connections and waits, for a bounded time, until every thread has gone. */
  void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    for (Connection connection : connections) {
      connection.end("This side closed.");
    }
    long deadline = System.nanoTime() + CLOSE_WAIT.toNanos();
    boolean interrupted = false;
    for (Thread thread : List.copyOf(threads)) {
      interrupted |= !joined(thread, deadline);
    }
    workers.shutdown();
    try {
      if (!workers.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        workers.shutdownNow();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    budget.trim();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean joined(Thread thread, long deadline) {
    try {
      if (thread != Thread.currentThread()) {
        thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      }
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private void tickUntilClosed() {
    long millis = tickMillis();
    while (true) {
      synchronized (this) {
        if (closed) {
          return;
        }
        try {
          wait(millis);
        } catch (InterruptedException e) {
          return;
        }
      }
      for (Connection connection : connections) {
        tick(connection);
      }
    }
  }

  private void tick(Connection connection) {
    try {
      connection.tick(options.nanoClock().getAsLong());
    } catch (RuntimeException | Error e) {
      // Whatever happens to one connection, somebody must look after the others.
      LOG.log(System.Logger.Level.WARNING, "Looking after {0}: {1}", connection.remote(), e);
    }
  }

  /** A quarter of the shortest timeout, from 5 ms to a second. */
  private long tickMillis() {
    Timeouts all = options.timeouts();
    long shortest =
        Stream.of(all.handshake(), all.heartbeat(), all.silence(), all.stall(), all.request())
            .mapToLong(Duration::toMillis)
            .min()
            .orElseThrow();
    return Math.min(Math.max(shortest / 4, 5), 1000);
  }

  private Thread named(String role, Thread thread) {
    thread.setName(name + " " + role);
    return thread;
  }
}
