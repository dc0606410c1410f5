package io.deepvm.checkpoint.s3;

import io.deepvm.base.DataSize;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The memory that uploads may take, all together. */
final class UploadBudget {

  private static final Duration PATIENCE = Duration.ofHours(1);
  private static final int UNIT = 1 << 10;

  private final DataSize size;
  private final Semaphore units;

  UploadBudget(DataSize size) {
    this.size = size;
    // fair, so that large parts are not kept waiting by small ones
    this.units = new Semaphore(units(size.bytes()), true);
  }

  private static int units(long bytes) {
    return (int) Math.min(Integer.MAX_VALUE, bytes / UNIT + (bytes % UNIT == 0 ? 0 : 1));
  }

  /** Waits until this many bytes may be allocated, and allocates them. */
  byte[] allocate(int bytes) throws IOException {
    take(bytes);
    try {
      return new byte[bytes];
    } catch (OutOfMemoryError e) {
      give(bytes);
      throw e;
    }
  }

  private void take(int bytes) throws IOException {
    if (bytes > size.bytes()) {
      throw new IOException(
          "A part of %s is larger than the budget of uploads (%s)."
              .formatted(new DataSize(bytes), size));
    }
    try {
      if (!units.tryAcquire(units(bytes), PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("Uploads took all of their %s for too long.".formatted(size));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  /** Gives back what was allocated. */
  void give(int bytes) {
    units.release(units(bytes));
  }
}
