package io.deepvm.studies.deepvm;

import io.deepvm.catalog.Catalog;

/** The artifact's two programs, which differ in their limits and in how they settle ties. */
public enum ArtifactScript {
  /** run.py: the vCPU quotas limit the nodes, and the three best clusters are printed. */
  RUN("run.py"),
  /** simulation.py: quotas are ignored, 255 nodes are the most, and one cluster is chosen. */
  SIMULATION("simulation.py");

  private final String label;

  ArtifactScript(String label) {
    this.label = label;
  }

  /** Returns the program that reads the catalog: the simulated one has its own. */
  public static ArtifactScript reading(Catalog catalog) {
    return catalog.name().equals("paper-simulation") ? SIMULATION : RUN;
  }

  @Override
  public String toString() {
    return label;
  }
}
