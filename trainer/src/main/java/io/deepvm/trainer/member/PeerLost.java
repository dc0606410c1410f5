package io.deepvm.trainer.member;

/** Without this member the generation cannot go on. */
public final class PeerLost extends Exception {

  private final String node;
  private final boolean suspect;

  PeerLost(String node, boolean suspect, String reason) {
    super(reason, null, false, false);
    this.node = node;
    this.suspect = suspect;
  }

  /** Returns the member's node. */
  public String node() {
    return node;
  }

  /** Whether it cannot be reached, rather than being in another generation already. */
  public boolean suspect() {
    return suspect;
  }
}
