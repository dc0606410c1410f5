package io.deepvm.checkpoint.s3;

import io.deepvm.base.DaemonThreads;
import io.deepvm.base.Watchdog;
import io.deepvm.checkpoint.s3.Bucket.Entry;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Marks, as small objects beside the shards, that a version is read or written. An object store has
 * no locks: a mark is renewed while in use, and one that has not been for long is of the dead.
 */
final class UseMarks implements Closeable {

  private static final System.Logger LOG = System.getLogger(UseMarks.class.getName());
  private static final String MARK = "in-use-";

  /** Long against any difference of clocks. */
  private static final Duration LEASE = Duration.ofMinutes(30);

  private final Bucket bucket;
  private final InstantSource clock;
  private final Set<String> held = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService renewal;

  UseMarks(Bucket bucket, InstantSource clock) {
    this.bucket = bucket;
    this.clock = clock;
    this.renewal =
        Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("deepvm-checkpoint-leases"));
    new Watchdog("deepvm-checkpoint-leases", () -> held.forEach(this::renew))
        .every(LEASE.dividedBy(3), renewal);
  }

  static boolean isMark(String file) {
    return file.startsWith(MARK);
  }

  /** Returns whether a mark is that of someone alive. */
  boolean isLive(Entry mark) {
    return mark.modified().isAfter(clock.instant().minus(LEASE));
  }

  /** Keeps a version, whose keys begin so, from being deleted until closed. */
  Closeable take(String folder) throws IOException {
    String mark = folder + MARK + UUID.randomUUID();
    bucket.put(mark, new byte[0]);
    held.add(mark);
    return () -> release(mark);
  }

  private void renew(String mark) {
    try {
      bucket.put(mark, new byte[0]);
      if (!held.contains(mark)) {
        bucket.delete(mark);
      }
    } catch (IOException | RuntimeException e) {
      // the other leases are renewed all the same
      LOG.log(System.Logger.Level.WARNING, "{0}", e.getMessage());
    }
  }

  private void release(String mark) {
    if (held.remove(mark)) {
      try {
        bucket.delete(mark);
      } catch (IOException e) {
        // it runs out by itself
        LOG.log(System.Logger.Level.WARNING, "{0}", e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    renewal.shutdownNow();
  }
}
