package io.deepvm.checkpoint.tier;

/** How much a checkpoint survives once it is committed in a tier. */
public enum Level {
  /** The loss of the worker: it is in the memory of other nodes. */
  REPLICATED,
  /** The loss of all processes: it is on disk. */
  DURABLE,
  /** The loss of the machines: it is in an object store. */
  ARCHIVED
}
