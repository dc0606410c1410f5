package io.deepvm.transport;

import java.io.IOException;

/** An incoming transfer that the other side wanted to send: the handler decides. */
record Pushed(Connection connection, Handler handler) implements IncomingOwner {

  @Override
  public Decision decide(TransferHeader header, TransferProgress soFar) throws IOException {
    return handler.incoming(connection, header, soFar);
  }

  @Override
  public void received(TransferHeader header, int crc32c) throws IOException {
    handler.received(connection, header, crc32c);
  }

  @Override
  public void acknowledged(long offset) {}

  @Override
  public void ended(TransferHeader header, boolean accepted, TransferOutcome outcome) {
    if (accepted && !outcome.delivered()) {
      handler.interrupted(
          connection, header, outcome.acknowledged(), outcome.status(), outcome.reason());
    }
  }

  @Override
  public boolean fenced() {
    return true;
  }
}
