package io.deepvm.transport;

import io.deepvm.transport.TransferOutcome.Status;
import java.util.function.LongFunction;

/** An incoming transfer that this side asked for, so this side decides. */
record Fetching(Transfer handle, LongFunction<Decision> decision) implements IncomingOwner {

  @Override
  public Decision decide(TransferHeader header, TransferProgress soFar) {
    return decision.apply(header.length());
  }

  @Override
  public void received(TransferHeader header, int crc32c) {}

  @Override
  public void acknowledged(long offset) {
    handle.acknowledge(offset);
  }

  @Override
  public void ended(TransferHeader header, boolean accepted, TransferOutcome outcome) {
    handle.end(outcome);
  }

  @Override
  public boolean fenced() {
    return false;
  }

  void cancelBy(Incoming transfer) {
    handle.cancelBy(reason -> transfer.finish(Status.CANCELLED, false, reason));
  }

  void fail(Status status, String reason) {
    handle.end(new TransferOutcome(status, TransferProgress.NONE, reason));
  }
}
