package io.deepvm.transport;

import java.nio.ByteBuffer;

/** What a receiver does with an incoming transfer. */
public sealed interface Decision {

  /**
   * Takes it into these buffers, whose remaining bytes must be as many as the transfer's; they are
   * written in place and their positions stay as they are.
   *
   * @param from what the buffers hold of this transfer already
   * @param arrival receives every piece
   */
  record Into(TransferProgress from, Arrival arrival, ByteBuffer... targets) implements Decision {}

  /**
   * Hands it on piece by piece, through the endpoint's memory budget.
   *
   * @param from what the sink has got of this transfer already
   */
  record Through(TransferProgress from, Sink sink) implements Decision {}

  /** The whole is here already. */
  record Have() implements Decision {}

  /** It is not wanted, for this reason. */
  record Refuse(String reason) implements Decision {}

  /** Returns the decision to take it into memory, see {@link Into}. */
  static Decision into(TransferProgress from, ByteBuffer... targets) {
    return new Into(from, (offset, length) -> {}, targets);
  }

  /** Returns the decision to take it into memory and to receive every piece, see {@link Into}. */
  static Decision into(TransferProgress from, Arrival arrival, ByteBuffer... targets) {
    return new Into(from, arrival, targets);
  }

  /** Returns the decision to hand it on, see {@link Through}. */
  static Decision through(TransferProgress from, Sink sink) {
    return new Through(from, sink);
  }

  /** Returns the decision that the whole is here already. */
  static Decision have() {
    return new Have();
  }

  /** Returns the decision to refuse it. */
  static Decision refuse(String reason) {
    return new Refuse(reason);
  }
}
