package io.deepvm.cli.print;

import io.deepvm.studies.Performance;

/** By which of three figures clusters are compared. */
public enum Metric {
  /** The figure nearest to measured times. */
  SPEEDUP("speedup", "FLOPS x fitted speed-up") {
    @Override
    public double of(Performance performance) {
      return performance.flopsSpeedup();
    }
  },
  /** The paper's scaled number of nodes, counted once. */
  NK("nk", "FLOPS x n K(n)") {
    @Override
    public double of(Performance performance) {
      return performance.flopsNK();
    }
  },
  /** The artifact's final figure, which counts the nodes twice. */
  N2K("n2k", "FLOPS x n n K(n), as the artifact") {
    @Override
    public double of(Performance performance) {
      return performance.flopsN2K();
    }
  };

  private final String label;
  private final String title;

  Metric(String label, String title) {
    this.label = label;
    this.title = title;
  }

  /** Returns this figure of a cluster's performance. */
  public abstract double of(Performance performance);

  /** What the figure is, for an axis. */
  public String title() {
    return title;
  }

  @Override
  public String toString() {
    return label;
  }
}
