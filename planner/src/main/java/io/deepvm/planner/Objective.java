package io.deepvm.planner;

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

  @Override
  public String toString() {
    return label;
  }
}
