package io.deepvm.simulator;

import io.deepvm.catalog.Market;

/** Receives the events of one run; times are seconds since its start. */
public interface Recorder {

  /** A node was rented. */
  default void rented(int node, int pool, Market market, double at) {}

  /** A node does something else from now on. */
  default void turned(int node, Activity activity, double at) {}

  /** A node received a notice. */
  default void noticed(int node, double at) {}

  /** A node is gone: taken by the cloud, or given back. */
  default void ended(int node, boolean revoked, double at) {}

  /** The work done so far, in memory and safe, at a moment when its growth changes. */
  default void progressed(double done, double safe, double at) {}

  /** A checkpoint begun earlier is now out of reach of revocations. */
  default void checkpointed(double at) {}

  /** The money spent so far, at each tick. */
  default void spent(double dollars, double at) {}
}
