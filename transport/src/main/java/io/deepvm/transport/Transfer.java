package io.deepvm.transport;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A transfer under way: how far it is, how it ended, and the way to call it off. */
public final class Transfer {

  private final CompletableFuture<TransferOutcome> outcome = new CompletableFuture<>();
  private volatile long acknowledged;
  private volatile Consumer<String> canceller = reason -> {};

  Transfer() {}

  /**
   * Returns the outcome to come; it never comes exceptionally. When it is there nothing touches the
   * transfer's buffers any more.
   */
  public CompletableFuture<TransferOutcome> outcome() {
    return outcome.copy();
  }

  /** Waits for the outcome, no longer than this. */
  public TransferOutcome await(Duration atMost) throws InterruptedException, TimeoutException {
    try {
      return outcome.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("An outcome never comes exceptionally.", e);
    }
  }

  /** Returns up to which offset the receiver holds the bytes, as far as is known here. */
  public long acknowledged() {
    return acknowledged;
  }

  /** Calls it off, for this reason; others on the connection go on. */
  public void cancel(String reason) {
    canceller.accept(reason);
  }

  void cancelBy(Consumer<String> action) {
    canceller = action;
  }

  void acknowledge(long offset) {
    acknowledged = offset;
  }

  void end(TransferOutcome result) {
    outcome.complete(result);
  }
}
