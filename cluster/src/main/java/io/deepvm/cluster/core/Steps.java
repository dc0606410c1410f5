package io.deepvm.cluster.core;

/**
 * How far the work has come.
 *
 * @param step the newest step that was reported
 * @param safeStep the newest step of a durable checkpoint
 * @param movedMs when a step was last reported, or when the wait for one began
 * @param finishMs when the run ends because a process has done all work; {@link Long#MAX_VALUE}
 *     before
 */
public record Steps(long step, long safeStep, long movedMs, long finishMs) {

  /** Before the first step. */
  static final Steps NONE = new Steps(0, 0, 0, Long.MAX_VALUE);

  Steps at(long newest, long atMs) {
    return new Steps(newest, safeStep, atMs, finishMs);
  }

  Steps safe(long saved) {
    return new Steps(step, Math.max(safeStep, saved), movedMs, finishMs);
  }

  Steps moved(long atMs) {
    return new Steps(step, safeStep, atMs, finishMs);
  }

  Steps finishing(long byMs) {
    return new Steps(step, safeStep, movedMs, Math.min(finishMs, byMs));
  }

  /** Whether a process has done all work, so that no node is needed any more. */
  boolean finishing() {
    return finishMs < Long.MAX_VALUE;
  }
}
