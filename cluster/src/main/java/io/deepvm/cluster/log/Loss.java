package io.deepvm.cluster.log;

/** A lost member, and when training went on. */
final class Loss {

  private final String node;
  private final String reason;
  private final boolean noticed;
  private final long marketMs;
  private final long atMs;
  private long recoveredMs = -1;

  Loss(Event.NodeTurned e, boolean noticed, long marketMs, long atMs) {
    this.node = e.node();
    this.reason = e.reason();
    this.noticed = noticed;
    this.marketMs = marketMs;
    this.atMs = atMs;
  }

  /** Notes that all members of a later generation train. */
  void recovered(long nowMs) {
    if (recoveredMs < 0) {
      recoveredMs = nowMs - atMs;
    }
  }

  Revoked revoked() {
    return new Revoked(node, reason, noticed, marketMs, atMs, recoveredMs);
  }
}
