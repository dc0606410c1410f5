package io.deepvm.checkpoint.simulation;

import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Stands for the transport's {@code Transfer}. */
public final class SimulatedTransfer {

  private final SimulatedFuture<TransferOutcome> outcome = new SimulatedFuture<>();

  /** Returns the outcome to come. */
  public CompletableFuture<TransferOutcome> outcome() {
    return outcome;
  }

  /** Waits for the outcome. */
  public TransferOutcome await(Duration atMost) throws InterruptedException, TimeoutException {
    try {
      return outcome.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns what the receiver is known to have. */
  public long acknowledged() {
    return 0;
  }

  /** Calls it off. */
  public void cancel(String reason) {
    end(TransferOutcome.Status.CANCELLED, reason);
  }

  boolean hasEnded() {
    return outcome.isDone();
  }

  void end(TransferOutcome.Status status, String reason) {
    outcome.complete(new TransferOutcome(status, TransferProgress.NONE, reason));
  }
}
