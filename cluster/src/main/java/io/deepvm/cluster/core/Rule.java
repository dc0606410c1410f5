package io.deepvm.cluster.core;

/**
 * Something that must hold whenever an input was taken. Rules read the state and write events; the
 * machine applies all of them until none has anything to add.
 */
interface Rule {

  /** Writes the events that follow from the state and the time. */
  void apply(Turn turn);

  /** Returns when the rule must be applied again; {@link Long#MAX_VALUE} if only an input can. */
  long wakeMs(RunState state);
}
