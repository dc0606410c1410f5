package io.deepvm.checkpoint.simulation;

import io.deepvm.transport.Decision;
import io.deepvm.transport.Name;
import io.deepvm.transport.Source;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import java.io.IOException;

/** Stands for the transport's {@code Handler}. */
public interface SimulatedHandler {

  /** Decides about a transfer. */
  default Decision incoming(SimulatedConnection from, TransferHeader header, TransferProgress soFar)
      throws IOException {
    return Decision.refuse("No transfers are taken here.");
  }

  /** Takes a transfer that has come whole. */
  default void received(SimulatedConnection from, TransferHeader header, int crc32c)
      throws IOException {}

  /** Learns that an accepted transfer broke off. */
  default void interrupted(
      SimulatedConnection from,
      TransferHeader header,
      TransferProgress soFar,
      TransferOutcome.Status why,
      String reason) {}

  /** Finds what the other side wants to fetch. */
  default Source outgoing(SimulatedConnection to, Name name) throws IOException {
    throw new IOException("Nothing can be fetched here.");
  }

  /** Answers a small request. */
  default byte[] answer(SimulatedConnection from, byte[] request) throws IOException {
    throw new IOException("No requests are answered here.");
  }

  /** A connection is ready. */
  default void connected(SimulatedConnection connection) {}

  /** A connection that was ready has ended. */
  default void closed(SimulatedConnection connection, String reason) {}
}
