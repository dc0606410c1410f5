package io.deepvm.cluster;

import io.deepvm.base.DaemonThreads;
import io.deepvm.cluster.output.PrintedLines;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Passes the output of commands to the run's listener, in a thread of its own: a terminal that does
 * not move holds up nothing else. An agent sends no more before it is answered, so that at most one
 * message of each node waits here.
 */
public final class OutputRelay implements AutoCloseable {

  private final RunListener listener;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong passed = new AtomicLong();

  /** The number of the newest lines of each node; used by the relay's thread alone. */
  private final Map<String, Long> newest = new HashMap<>();

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(DaemonThreads.named("output"));

  public OutputRelay(RunListener listener) {
    this.listener = listener;
  }

  /** Passes lines on, unless they were passed on before, and then runs the answer. */
  public void received(String node, PrintedLines lines, Runnable answer) {
    waiting.incrementAndGet();
    try {
      thread.execute(() -> pass(node, lines, answer));
    } catch (RejectedExecutionException e) {
      // The run is over.
      waiting.decrementAndGet();
    }
  }

  private void pass(String node, PrintedLines lines, Runnable answer) {
    try {
      if (lines.number() > newest.getOrDefault(node, 0L)) {
        newest.put(node, lines.number());
        listener.printed(node, lines);
      }
      answer.run();
    } finally {
      passed.incrementAndGet();
      waiting.decrementAndGet();
    }
  }

  /** Returns how many messages were passed on. */
  public long passed() {
    return passed.get();
  }

  /** Whether some lines have not been passed on yet. */
  public boolean isBusy() {
    return waiting.get() > 0;
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
