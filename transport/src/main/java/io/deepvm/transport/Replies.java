package io.deepvm.transport;

/** The messages that the receiver of one transfer sends back. */
final class Replies {

  private final Outbox outbox;
  private final int stream;

  Replies(Outbox outbox, int stream) {
    this.outbox = outbox;
    this.stream = stream;
  }

  /** Takes the transfer from an offset on, with credit up to a limit. */
  void accept(TransferProgress from, long limit, int chunkBytes) {
    outbox.post(
        Frame.Type.ACCEPT,
        stream,
        from.offset(),
        new Payload.Accept(limit, from.crc32c(), chunkBytes).encode());
  }

  /** Acknowledges what is held, and gives credit up to a limit. */
  void acknowledge(TransferProgress held, long limit) {
    outbox.post(
        Frame.Type.ACK, stream, held.offset(), new Payload.Credit(limit, held.crc32c()).encode());
  }

  /** Asks for everything after what has come undamaged. */
  void askAgain(TransferProgress arrived) {
    outbox.post(Frame.Type.RETRY, stream, arrived.offset(), Payload.number(arrived.crc32c()));
  }

  /** Ends the transfer. */
  void done(TransferOutcome outcome) {
    TransferProgress last = outcome.acknowledged();
    outbox.post(
        Frame.Type.DONE,
        stream,
        last.offset(),
        new Payload.Done(outcome.status(), last.crc32c(), outcome.reason()).encode());
  }
}
