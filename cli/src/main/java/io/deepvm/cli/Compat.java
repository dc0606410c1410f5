package io.deepvm.cli;

/** Whose rules to plan by instead of our own. */
enum Compat {
  /** The public artifact, with its quirks. */
  ARTIFACT("artifact"),
  /** The paper: its objective, and the whole checkpoint on each anchor. */
  PAPER("paper");

  private final String label;

  Compat(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
