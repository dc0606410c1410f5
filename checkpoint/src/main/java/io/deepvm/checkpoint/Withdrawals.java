package io.deepvm.checkpoint;

import io.deepvm.base.DaemonThreads;
import io.deepvm.checkpoint.format.Version;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Sends withdrawals to the other workers, on a thread of its own: an anchor may be slow. */
final class Withdrawals {

  private static final System.Logger LOG = System.getLogger(Withdrawals.class.getName());

  /** How many may wait. */
  static final int MOST = 1_000;

  private final Assembly assembly;
  private final int worker;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MOST),
          DaemonThreads.named("deepvm-checkpoint-withdraw"),
          // a withdrawal spares the others a wait; that for the oldest ends soonest by itself
          new ThreadPoolExecutor.DiscardOldestPolicy());

  /** Withdraws the parts of one worker. */
  Withdrawals(Assembly assembly, int worker) {
    this.assembly = assembly;
    this.worker = worker;
  }

  /** Starts the thread, so that no save has to. */
  void start() {
    thread.prestartCoreThread();
  }

  /** Has a part withdrawn soon, and returns at once. */
  void add(String tier, Version version, String reason) {
    thread.execute(() -> withdraw(tier, version, reason));
  }

  private void withdraw(String tier, Version version, String reason) {
    try {
      assembly.withdraw(tier, version, worker, reason);
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "{0} was not withdrawn: {1}", version, e.toString());
    }
  }

  /** Takes no more, does what waits as far as the time allows, and leaves the rest. */
  void close(Duration patience) throws InterruptedException {
    thread.shutdown();
    try {
      thread.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
    } finally {
      thread.shutdownNow();
    }
  }
}
