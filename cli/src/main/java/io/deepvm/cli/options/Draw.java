package io.deepvm.cli.options;

/** Where the futures of simulated runs come from. */
public enum Draw {
  /** The market's record, from starts spread over it. */
  STARTS("starts"),
  /** Blocks of the record, put in a new order for each run. */
  BOOTSTRAP("bootstrap"),
  /** A model of how long spot nodes stay, fitted to the record. */
  MODEL("model");

  private final String label;

  Draw(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
