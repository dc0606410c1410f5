package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.io.IOException;

/**
 * What this side does with what the other one asks. Calls come from the endpoint's workers, several
 * at a time; those about one transfer come one after the other. A {@link BadInput} thrown here is
 * the reason the other side reads; of any other failure it reads the message.
 */
public interface Handler {

  /**
   * Decides about a transfer that the other side wants to send.
   *
   * @param soFar what an earlier attempt left behind, as far as this endpoint remembers
   */
  default Decision incoming(Connection from, TransferHeader header, TransferProgress soFar)
      throws IOException {
    return Decision.refuse("No transfers are taken here.");
  }

  /**
   * The whole has arrived and is verified. The sender learns it only after this returns, so this is
   * the place to make it durable; a failure here is the sender's outcome.
   */
  default void received(Connection from, TransferHeader header, int crc32c) throws IOException {}

  /** An accepted transfer ended before it was whole; nothing touches its target any more. */
  default void interrupted(
      Connection from,
      TransferHeader header,
      TransferProgress soFar,
      TransferOutcome.Status why,
      String reason) {}

  /** Finds what the other side wants to fetch. */
  default Source outgoing(Connection to, Name name) throws IOException {
    throw new BadInput("Nothing can be fetched here.", "Maybe ask another endpoint.");
  }

  /** Answers a small request. */
  default byte[] answer(Connection from, byte[] request) throws IOException {
    throw new BadInput("No requests are answered here.", "Maybe ask another endpoint.");
  }

  /** A connection is ready: the other side has proven who it is. */
  default void connected(Connection connection) {}

  /** A connection that was ready has ended, with all its transfers. */
  default void closed(Connection connection, String reason) {}
}
