package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A background copy from one place to another, of the newest version of each job; when it is behind
 * it passes over the older ones.
 */
final class Upkeep implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());
  private static final int ATTEMPTS = 8;

  /** Copies one version. */
  interface Work {
    void run(Version version) throws IOException;
  }

  private final Work work;
  private final Duration firstPause;
  private final TreeMap<String, Version> waiting = new TreeMap<>();
  private final Thread thread;
  private @Nullable Version active;
  private boolean closing;

  Upkeep(String name, Duration firstPause, Work work) {
    this.work = work;
    this.firstPause = firstPause;
    thread = new Thread(this::serve, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Takes note that a version is committed. */
  synchronized void offer(Version version) {
    waiting.merge(version.job(), version, (a, b) -> a.compareTo(b) < 0 ? b : a);
    notifyAll();
  }

  private void serve() {
    try {
      for (Version version = next(); version != null; version = next()) {
        copy(version);
      }
    } catch (InterruptedException e) {
      // the anchor has closed
    }
  }

  private synchronized @Nullable Version next() throws InterruptedException {
    active = null;
    notifyAll();
    while (waiting.isEmpty()) {
      if (closing) {
        return null;
      }
      wait();
    }
    active = waiting.remove(waiting.firstKey());
    return active;
  }

  private void copy(Version version) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        work.run(version);
        return;
      } catch (StaleGeneration | NoSuchFileException e) {
        // a newer generation has taken over, or the version was deleted meanwhile
        LOG.log(System.Logger.Level.DEBUG, "{0}: {1}", version, e.toString());
        return;
      } catch (IOException | RuntimeException e) {
        if (isClosing()) {
          return;
        }
        LOG.log(
            System.Logger.Level.WARNING, "{0}: {1}: {2}", thread.getName(), version, e.toString());
        if (attempt == ATTEMPTS || !pause(version, firstPause.toMillis() << (attempt - 1))) {
          return;
        }
      }
    }
  }

  /** Waits; false when it is of no use to try this version again. */
  private synchronized boolean pause(Version version, long millis) throws InterruptedException {
    long deadline = System.nanoTime() + millis * 1_000_000;
    long left = millis;
    while (left > 0 && !closing && !waiting.containsKey(version.job())) {
      wait(left);
      left = (deadline - System.nanoTime()) / 1_000_000;
    }
    return !closing && !waiting.containsKey(version.job());
  }

  private synchronized boolean isClosing() {
    return closing;
  }

  /** Forgets a version that is about to be deleted, and waits until it is not being copied. */
  synchronized void leave(Version version, Duration atMost) throws InterruptedException {
    waiting.remove(version.job(), version);
    long deadline = System.nanoTime() + atMost.toNanos();
    long left = atMost.toMillis();
    while (version.equals(active) && left > 0) {
      wait(left);
      left = (deadline - System.nanoTime()) / 1_000_000;
    }
  }

  /** Waits until nothing is left to do; false when that took too long. */
  synchronized boolean awaitIdle(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (active != null || !waiting.isEmpty()) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  /** Ends; what is being copied is broken off. */
  @Override
  public void close() {
    synchronized (this) {
      closing = true;
      waiting.clear();
      notifyAll();
    }
    thread.interrupt();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
