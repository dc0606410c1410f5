package io.deepvm.planner;

/** What a node does in the cluster. */
public enum Role {
  /** Trains. */
  WORKER("worker"),
  /** Keeps the checkpoint when spot nodes vanish. */
  ANCHOR("anchor"),
  /** Holds the parameters that asynchronous workers push to and pull from. */
  SERVER("server");

  private final String label;

  Role(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
