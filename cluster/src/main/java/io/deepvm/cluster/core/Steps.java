package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Logged;

/**
 * How far the work has come.
 *
 * @param step the newest step that was reported
 * @param safeStep the newest step of a durable checkpoint
 * @param movedMs when a step was last reported, or when the wait for one began
 * @param movedMarketMs the same in the market's time
 * @param finishMs when the run ends because a process has done all work; {@link Long#MAX_VALUE}
 *     before
 */
public record Steps(long step, long safeStep, long movedMs, long movedMarketMs, long finishMs) {

  /** Before the first step. */
  static final Steps NONE = new Steps(0, 0, 0, 0, Long.MAX_VALUE);

  Steps at(long newest, Logged event) {
    return new Steps(newest, safeStep, event.atMs(), event.marketMs(), finishMs);
  }

  Steps safe(long saved) {
    return new Steps(step, Math.max(safeStep, saved), movedMs, movedMarketMs, finishMs);
  }

  Steps moved(Logged event) {
    return at(step, event);
  }

  Steps finishing(long byMs) {
    return new Steps(step, safeStep, movedMs, movedMarketMs, Math.min(finishMs, byMs));
  }

  /** Whether a process has done all work, so that no node is needed any more. */
  boolean finishing() {
    return finishMs < Long.MAX_VALUE;
  }
}
