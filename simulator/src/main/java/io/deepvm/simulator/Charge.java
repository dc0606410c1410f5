package io.deepvm.simulator;

/** What money was paid for: the first three are for nodes. */
public enum Charge {
  SPOT,
  ON_DEMAND,
  ANCHOR,
  TRAFFIC,
  STORAGE
}
