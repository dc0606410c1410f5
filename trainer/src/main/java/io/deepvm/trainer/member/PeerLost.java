package io.deepvm.trainer.member;

/** Without this member the generation cannot go on. */
public final class PeerLost extends Exception {

  private final String node;

  PeerLost(String node, String reason) {
    super(reason, null, false, false);
    this.node = node;
  }

  /** Returns the member's node; empty if nobody knows which it is. */
  public String node() {
    return node;
  }
}
