package io.deepvm.checkpoint.anchor;

import io.deepvm.base.DaemonThreads;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A background copy from one place to another, of the newest version of each job; when it is behind
 * it passes over the older ones. What fails is tried again for as long as it is there and nothing
 * newer waits, since it may be the only copy; meanwhile other jobs have their turn.
 */
final class Upkeep implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());

  /** The pause between two attempts grows up to this. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private static final int MOST_DOUBLINGS = 20;

  /** Copies one version. */
  interface Work {
    void run(Version version) throws IOException;
  }

  /** Says whether the place to copy from still has a version. */
  interface Origin {
    boolean has(Version version) throws IOException;
  }

  /** A version to copy, how often that failed, and when to try it. */
  private record Due(Version version, int failures, long nanoTime) {

    static Due newer(Due a, Due b) {
      return a.version.compareTo(b.version) < 0 ? b : a;
    }

    long left() {
      return nanoTime - System.nanoTime();
    }
  }

  private final Origin origin;
  private final Work work;
  private final Duration firstPause;

  /** By job, hence no more than the origin has jobs. */
  private final Map<String, Due> waiting = new TreeMap<>();

  private final Thread thread;
  private @Nullable Due active;
  private long failures;
  private boolean closing;

  Upkeep(String name, Duration firstPause, Origin origin, Work work) {
    this.origin = origin;
    this.work = work;
    this.firstPause = firstPause;
    thread = DaemonThreads.of(name, this::serve);
  }

  void start() {
    thread.start();
  }

  /** Takes note that a version is committed. */
  synchronized void offer(Version version) {
    add(new Due(version, 0, System.nanoTime()));
  }

  private synchronized void add(Due due) {
    if (!closing) {
      waiting.merge(due.version.job(), due, Due::newer);
      notifyAll();
    }
  }

  /** Returns how many versions are still to be copied. */
  synchronized int behind() {
    return waiting.size() + (active == null ? 0 : 1);
  }

  /** Returns how many attempts have failed. */
  synchronized long failures() {
    return failures;
  }

  private void serve() {
    try {
      for (Due due = next(); due != null; due = next()) {
        copy(due);
      }
    } catch (InterruptedException e) {
      // the anchor has closed
    }
  }

  private synchronized @Nullable Due next() throws InterruptedException {
    active = null;
    notifyAll();
    while (!closing) {
      Due first = waiting.values().stream().min(Comparator.comparingLong(Due::left)).orElse(null);
      if (first == null) {
        wait();
      } else if (first.left() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, first.left());
      } else {
        waiting.remove(first.version.job());
        active = first;
        return first;
      }
    }
    return null;
  }

  private void copy(Due due) {
    try {
      work.run(due.version);
    } catch (StaleGeneration e) {
      // a newer generation has taken over there, and does not want it
      LOG.log(System.Logger.Level.DEBUG, "{0}: {1}", due.version, e.toString());
    } catch (IOException | RuntimeException | Error e) {
      // an error too: without this thread nothing would be copied any more
      if (!(e instanceof NoSuchFileException && isDeleted(due.version))) {
        failed(due, e);
      }
    }
  }

  /** Whether a file is missing because the version was deleted, and not for another reason. */
  private boolean isDeleted(Version version) {
    try {
      return !origin.has(version);
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.DEBUG, "{0}: {1}", version, e.toString());
      return false;
    }
  }

  private synchronized void failed(Due due, Throwable problem) {
    failures++;
    long pause = firstPause.toNanos() << Math.min(due.failures, MOST_DOUBLINGS);
    add(
        new Due(
            due.version,
            due.failures + 1,
            System.nanoTime() + Math.min(pause, LONGEST_PAUSE.toNanos())));
    LOG.log(
        System.Logger.Level.WARNING,
        "{0}: {1}: {2}",
        thread.getName(),
        due.version,
        problem.toString());
  }

  /** Forgets a version that is about to be deleted, and waits until it is not being copied. */
  synchronized void leave(Version version, Duration atMost) throws InterruptedException {
    waiting.computeIfPresent(version.job(), (job, due) -> due.version.equals(version) ? null : due);
    long deadline = System.nanoTime() + atMost.toNanos();
    long left = atMost.toMillis();
    while (active != null && active.version.equals(version) && left > 0) {
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
