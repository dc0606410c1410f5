package io.deepvm.checkpoint.tier;

import java.io.IOException;

/**
 * A newer generation has taken over, or the same number belongs to another session. A session that
 * gets this should stop.
 */
public final class StaleGeneration extends IOException {

  /** Names the generation that was refused and the newest one, which may be the same number. */
  public StaleGeneration(String job, long generation, long newest) {
    super(
        generation == newest
            ? "Generation %d of %s belongs to another session.".formatted(generation, job)
            : "Generation %d of %s may not write any more: generation %d has taken over."
                .formatted(generation, job, newest));
  }
}
