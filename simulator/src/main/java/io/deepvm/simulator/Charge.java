package io.deepvm.simulator;

/** What money was paid for. */
public enum Charge {
  SPOT,
  ON_DEMAND,
  ANCHOR,
  TRAFFIC,
  STORAGE
}
