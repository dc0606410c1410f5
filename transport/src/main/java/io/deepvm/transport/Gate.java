package io.deepvm.transport;

import org.jspecify.annotations.Nullable;

/**
 * Guards a buffer that others lend us: threads enter before they touch it, and once the gate is
 * shut the closing action runs as soon as nobody is inside. Only the first shut counts, which is
 * also what makes a transfer end exactly once.
 */
final class Gate {

  private int inside;
  private @Nullable Runnable closing;

  /** Whether the caller may go in; it must then {@link #exit}. */
  synchronized boolean enter() {
    if (closing != null) {
      return false;
    }
    inside++;
    return true;
  }

  void exit() {
    Runnable last;
    synchronized (this) {
      inside--;
      last = inside == 0 ? closing : null;
    }
    if (last != null) {
      last.run();
    }
  }

  /** Shuts the gate; false if it was shut before, and then the action never runs. */
  boolean shut(Runnable action) {
    synchronized (this) {
      if (closing != null) {
        return false;
      }
      closing = action;
      if (inside > 0) {
        return true;
      }
    }
    action.run();
    return true;
  }

  synchronized boolean isShut() {
    return closing != null;
  }
}
