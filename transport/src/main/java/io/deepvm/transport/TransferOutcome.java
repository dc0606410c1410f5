package io.deepvm.transport;

/**
 * How a transfer ended; every transfer ends in exactly one.
 *
 * @param acknowledged what the receiver said last that it holds
 * @param reason a sentence, empty when delivered
 */
public record TransferOutcome(Status status, TransferProgress acknowledged, String reason) {

  /** The ways in which a transfer can end, with their numbers on the wire. */
  public enum Status {
    /** The receiver holds and has accepted the whole. */
    DELIVERED(0),
    /** The receiver had the whole already; nothing was sent. */
    DUPLICATE(1),
    /** The receiver does not want it. */
    REFUSED(2),
    /** The receiver has seen a newer generation of the group. */
    STALE(3),
    /** One of the two sides called it off. */
    CANCELLED(4),
    /** The checksums did not match, again and again or in the end. */
    CORRUPT(5),
    /** Reading the source, writing the sink or accepting the whole failed. */
    FAILED(6),
    /** Nothing moved for too long; it may go on from where it was. */
    TIMED_OUT(7),
    /** The connection ended; it may go on from where it was. */
    INTERRUPTED(8);

    private final int number;

    Status(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }
  }

  /** Whether the receiver holds the whole. */
  public boolean delivered() {
    return status == Status.DELIVERED || status == Status.DUPLICATE;
  }

  /** Whether sending it again may go on from the acknowledged offset. */
  public boolean resumable() {
    return status == Status.INTERRUPTED || status == Status.TIMED_OUT;
  }
}
