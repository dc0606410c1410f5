package io.deepvm.checkpoint.tier;

import io.deepvm.base.DaemonThreads;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Brings what is written of a file to the disk while the rest is still being written. The system
 * would begin only with the sync at the end, and memory and disk would take turns instead of
 * working at once.
 */
final class EarlySync {

  private static final long EVERY_BYTES = 16L << 20;

  private final FileChannel channel;
  private long unsynced;
  private @Nullable FutureTask<Void> running;

  EarlySync(FileChannel channel) {
    this.channel = channel;
  }

  /** Notes that this many more bytes are written; throws what a sync before met. */
  void wrote(long bytes) throws IOException {
    unsynced += bytes;
    if (unsynced >= EVERY_BYTES && (running == null || running.isDone())) {
      await();
      unsynced = 0;
      FutureTask<Void> next =
          new FutureTask<>(
              () -> {
                channel.force(false);
                return null;
              });
      running = next;
      DaemonThreads.of("deepvm-early-sync", next).start();
    }
  }

  /**
   * Waits for the sync under way. The system reports a failed write only once: a caller that misses
   * it here never learns of it.
   */
  void await() throws IOException {
    FutureTask<Void> last = running;
    if (last == null) {
      return;
    }
    try {
      last.get();
    } catch (ExecutionException e) {
      throw new IOException("Written bytes did not reach the disk: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Writing was interrupted.");
    }
  }
}
