package io.deepvm.workload.averaging;

/** The pairs of peers that exchange gradients. */
public enum Topology {
  /** Every peer owns a part, collects it from all others and returns the mean. */
  FULL_MESH("full-mesh"),
  /** Peers of a region average first, then one of each region with the others; never measured. */
  LOCAL_FIRST("local-first");

  private final String label;

  Topology(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
