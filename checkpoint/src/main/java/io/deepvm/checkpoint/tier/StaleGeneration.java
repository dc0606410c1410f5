package io.deepvm.checkpoint.tier;

import java.io.IOException;

/** A newer generation has taken over; whoever gets this should stop. */
public final class StaleGeneration extends IOException {

  public StaleGeneration(String job, long generation, long newer) {
    super(
        "Generation %d of %s may not write any more: generation %d has taken over."
            .formatted(generation, job, newer));
  }
}
