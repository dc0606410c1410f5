package io.deepvm.market;

/** The value of a tick without an observation. */
public enum GapRule {
  /** No node could be had. */
  UNAVAILABLE("unavailable"),
  /** What was last seen still held; before the first sight, nothing could be had. */
  LAST("last"),
  /** A trace with gaps is bad input. */
  REFUSE("refuse");

  private final String label;

  GapRule(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
