package io.deepvm.simulator;

/** What to do when the market moves: one object a run, asked at every tick and at every notice. */
public interface Policy {

  /** Rents and releases nodes; called at each tick, the first included, and at each notice. */
  void decide(Cluster cluster, boolean tick);
}
