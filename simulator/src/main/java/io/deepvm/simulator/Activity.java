package io.deepvm.simulator;

/** What a paid node was doing. */
public enum Activity {
  /** Training, and the progress was kept. */
  USEFUL,
  /** Training, and the progress was lost and had to be made again. */
  REDONE,
  /** Standing still while a checkpoint is copied out of the way. */
  STALLED,
  /** Ready, but waiting for the others: forming a generation, restoring, or too few to train. */
  WAITING,
  /** Starting up. */
  BOOTING,
  /** Keeping checkpoints, not training. */
  ANCHORING,
  /** Paid for and gone: minimum charges, rounding up and probes. */
  UNUSED
}
