package io.deepvm.market;

/** What the numbers of a trace count. Inside DeepVM it is always the nodes that can be had. */
public enum Polarity {
  /** Nodes that could be had: 1 is up. */
  AVAILABLE("available"),
  /** Preempted or not: 1 is down. */
  PREEMPTED("preempted");

  private final String label;

  Polarity(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
