package io.deepvm.cluster.log;

import io.deepvm.base.Money;
import io.deepvm.catalog.Market;

/** The life and the bill of one node so far. */
final class NodeBill {

  static final long MS_PER_HOUR = 3_600_000;

  private final Event.Rented rented;
  private final long rentedMs;
  private NodeState state = NodeState.REQUESTED;
  private String handle = "";
  private String reason = "";
  private boolean noticed;
  private long takenMs = -1;
  private long endedMs = -1;
  private long rate;
  private long paidUntilMs;
  private long micros;
  private long rest;

  NodeBill(Event.Rented rented, long nowMs) {
    this.rented = rented;
    this.rentedMs = nowMs;
    this.paidUntilMs = nowMs;
    this.rate = rented.microsPerHour();
  }

  /** Notes how the cloud finds the machine. */
  void granted(String byHandle) {
    handle = byHandle;
  }

  /** Notes when the cloud took the machine. */
  void taken(long atMs) {
    takenMs = atMs;
  }

  /** Turns the node to another state; throws if the table does not allow it. */
  void turn(Event.NodeTurned e) {
    if (!state.mayTurn(e.to())) {
      throw new IllegalStateException(
          "The node %s cannot go from %s to %s.".formatted(e.node(), state, e.to()));
    }
    state = e.to();
    reason = e.reason();
    noticed |= e.to() == NodeState.NOTICED;
  }

  /**
   * Ends the bill.
   *
   * @param grainMs a node is paid in multiples of this
   * @param leastMs the least that a node is paid for
   */
  void end(long marketMs, long grainMs, long leastMs) {
    endedMs = marketMs;
    if (state == NodeState.REFUSED) {
      // There never was a machine.
      rate = 0;
      rest = 0;
      micros = 0;
      paidUntilMs = endedMs;
      return;
    }
    long lived = marketMs - rentedMs;
    pay(rentedMs + Math.max((lived + grainMs - 1) / grainMs * grainMs, leastMs));
  }

  /** Changes the price of a spot node of the pool. */
  void price(Event.Priced e, long marketMs) {
    if (rented.pool() == e.pool() && rented.market() == Market.SPOT && !state.isEnd()) {
      pay(marketMs);
      rate = e.microsPerHour();
    }
  }

  /** Pays until a moment; whole micro-dollars are carried over so that nothing overflows. */
  private void pay(long untilMs) {
    rest += rate * (untilMs - paidUntilMs);
    micros += rest / MS_PER_HOUR;
    rest %= MS_PER_HOUR;
    paidUntilMs = untilMs;
  }

  NodeState state() {
    return state;
  }

  String reason() {
    return reason;
  }

  boolean noticed() {
    return noticed;
  }

  /** Returns when the node was taken, or else lost. */
  long lostMs(long atMs) {
    return takenMs < 0 ? atMs : takenMs;
  }

  /** Returns what the node costs an hour; 0 after its end. */
  long rate() {
    return state.isEnd() ? 0 : rate;
  }

  /** Returns the bill at a moment of the market's time. */
  Money cost(long untilMs) {
    long open = state.isEnd() ? 0 : rate * (untilMs - paidUntilMs);
    return new Money(micros + (rest + open + MS_PER_HOUR / 2) / MS_PER_HOUR);
  }

  /** Returns how the node stands at a moment of the market's time. */
  NodeStatus status(long untilMs) {
    return new NodeStatus(
        rented.node(),
        rented.role(),
        rented.pool(),
        rented.poolName(),
        rented.market(),
        state,
        handle,
        reason,
        rentedMs,
        endedMs,
        cost(untilMs));
  }
}
