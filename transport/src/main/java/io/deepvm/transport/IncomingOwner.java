package io.deepvm.transport;

import java.io.IOException;

/** Decides about an incoming transfer and receives how it ended. */
interface IncomingOwner {
  Decision decide(TransferHeader header, TransferProgress soFar) throws IOException;

  void received(TransferHeader header, int crc32c) throws IOException;

  void acknowledged(long offset);

  /** Receives how it ended, and whether {@link #decide} had taken it. */
  void ended(TransferHeader header, boolean accepted, TransferOutcome outcome);

  /** Returns whether ids and generations are compared, as for what the other side pushes. */
  boolean fenced();
}
