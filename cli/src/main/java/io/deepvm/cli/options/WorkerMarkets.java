package io.deepvm.cli.options;

import io.deepvm.catalog.Market;
import java.util.Set;

/** On which markets a plan may rent its workers. */
public enum WorkerMarkets {
  SPOT("spot"),
  ON_DEMAND("on-demand"),
  /** Each type on the market where it is better. */
  ANY("any");

  private final String label;

  WorkerMarkets(String label) {
    this.label = label;
  }

  public Set<Market> markets() {
    return switch (this) {
      case SPOT -> Set.of(Market.SPOT);
      case ON_DEMAND -> Set.of(Market.ON_DEMAND);
      case ANY -> Set.of(Market.values());
    };
  }

  @Override
  public String toString() {
    return label;
  }
}
