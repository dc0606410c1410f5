package io.deepvm.simulator.gang;

/** Decides, tick by tick, where a gang runs and on which market. */
public interface GangPolicy {

  /** Forgets all and prepares for a run. */
  default void start(Gang gang) {}

  /** Acts at the beginning of a tick, after the market has taken back what it takes. */
  void step(Gang gang);
}
