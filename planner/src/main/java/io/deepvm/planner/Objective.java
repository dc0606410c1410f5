package io.deepvm.planner;

import io.deepvm.catalog.Catalog;

/** What makes one plan better than another. */
public enum Objective {
  /**
   * DeepVM's Z: floating-point operations per dollar of one worker, times n K(n). More is better.
   */
  FLOPP("flopp"),
  /** FLOPS of one worker times the fitted speed-up. More is better. */
  THROUGHPUT("throughput"),
  /** Dollars until the job's work is done. Less is better. */
  COST("cost"),
  /** Seconds until the job's work is done. Less is better. */
  TIME("time");

  private final String label;

  Objective(String label) {
    this.label = label;
  }

  /**
   * What users of a catalog mean when they do not say: the paper's objective where speeds are in a
   * unit of the catalog's own, as in the paper's catalogs, and speed where they are of real GPUs.
   */
  public static Objective usual(Catalog catalog) {
    return catalog.listings().stream().anyMatch(l -> l.machine().statedFlops() != null)
        ? FLOPP
        : THROUGHPUT;
  }

  @Override
  public String toString() {
    return label;
  }
}
