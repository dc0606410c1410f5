package io.deepvm.catalog;

/** How a machine is rented. */
public enum Market {
  /** Cheap, and taken back at short notice or none. */
  SPOT("spot"),
  /** Dear, and kept until it is given back. */
  ON_DEMAND("on-demand");

  private final String label;

  Market(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
