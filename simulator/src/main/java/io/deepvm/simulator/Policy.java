package io.deepvm.simulator;

/** What to do when the market moves: one object a run, asked whenever something changed. */
public interface Policy {

  /**
   * Rents and releases nodes; called at each tick, each notice, when nodes came up, and when a new
   * generation began to train.
   */
  void decide(Cluster cluster, boolean tick);
}
