package io.deepvm.checkpoint;

/** One save on its way into one tier. The engine's lock guards it. */
final class Delivery {

  /** How far a delivery has come. */
  enum State {
    /** Waits until the tier that this one copies from has the save. */
    EXPECTED,
    /** Waits in the queue of its tier. */
    WAITING,
    /** Is being written. */
    WRITING,
    /** Is written; the parts of other workers are missing. */
    AWAITING_PEERS,
    /** Is committed in the tier. */
    COMMITTED,
    /** Will not come into the tier, by a rule. */
    LEFT_OUT,
    /** Will not come into the tier, because something failed. */
    FAILED;

    boolean isFinal() {
      return compareTo(COMMITTED) >= 0;
    }

    boolean mayBecome(State next) {
      return switch (this) {
        case EXPECTED -> next == WAITING || next == LEFT_OUT || next == FAILED;
        case WAITING -> next == WRITING || next == LEFT_OUT || next == FAILED;
        case WRITING -> next == AWAITING_PEERS || next.isFinal();
        case AWAITING_PEERS -> next.isFinal();
        case COMMITTED, LEFT_OUT, FAILED -> false;
      };
    }
  }

  private final TierLane lane;
  private State state;
  private boolean needsImage;
  private boolean withdrawalDue;

  /** Begins in the queue of the lane, or after the lane's source. */
  Delivery(TierLane lane) {
    this.lane = lane;
    this.state = lane.source() == null ? State.WAITING : State.EXPECTED;
    this.needsImage = lane.source() == null;
  }

  TierLane lane() {
    return lane;
  }

  State state() {
    return state;
  }

  /** Moves on, unless the delivery has ended: a thread that hung may come late. */
  void become(State next) {
    if (state.isFinal()) {
      return;
    }
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("%s is %s, not %s.".formatted(lane.name(), state, next));
    }
    state = next;
  }

  /** Returns whether the staged image must stay for this delivery. */
  boolean needsImage() {
    return needsImage;
  }

  /** Notes that the image is not read any more, and returns whether it was needed before. */
  boolean leaveImage() {
    boolean before = needsImage;
    needsImage = false;
    return before;
  }

  /** Notes that the other workers must learn that this delivery will not come. */
  void requestWithdrawal() {
    withdrawalDue = true;
  }

  /** Returns whether the other workers must still learn of it, once. */
  boolean takeWithdrawal() {
    boolean due = withdrawalDue;
    withdrawalDue = false;
    return due;
  }
}
