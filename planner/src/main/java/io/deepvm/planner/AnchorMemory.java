package io.deepvm.planner;

/** How much of the checkpoint an anchor must hold in memory, in each of its slots. */
public enum AnchorMemory {
  /** Only the shards it is sent. */
  SHARE("share"),
  /** All of it, the paper's rule. */
  WHOLE("whole");

  private final String label;

  AnchorMemory(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
