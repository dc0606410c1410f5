package io.deepvm.cli.options;

import io.deepvm.market.Dependence;

/** How far the nodes of a pool are taken to come and go together. */
public enum DependenceRule {
  /** As measured: on the trace's own counts, or where it counted one node on traces with counts. */
  MEASURED("measured", "come and go together as measured where nodes were counted"),
  /** All nodes of a pool are lost at once. */
  TOGETHER("together", "come and go together"),
  /** Each node for itself. */
  INDEPENDENT("independent", "come and go each for itself");

  private final String label;
  private final String words;

  DependenceRule(String label, String words) {
    this.label = label;
    this.words = words;
  }

  /** Returns what the nodes of a zone do. */
  public String words() {
    return words;
  }

  /** Returns the dependence by this rule where another one was measured. */
  Dependence of(Dependence measured) {
    return switch (this) {
      case MEASURED -> measured;
      case TOGETHER -> Dependence.TOGETHER;
      case INDEPENDENT -> Dependence.INDEPENDENT;
    };
  }

  @Override
  public String toString() {
    return label;
  }
}
