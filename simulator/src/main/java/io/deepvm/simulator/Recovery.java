package io.deepvm.simulator;

/** What becomes of the work in members' memory when a member is lost. */
public enum Recovery {
  /** The survivors hold it and go on in a new generation. */
  SURVIVORS,
  /** Everybody starts again from the last checkpoint. */
  RESTART
}
