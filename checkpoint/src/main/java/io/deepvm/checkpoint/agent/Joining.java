package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Claim;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a client begins: alone, or as one rank of several that save together.
 *
 * @param after the generation of a client that was cut off and wants to go on; null for a new one
 * @param client the client's id, by which it is known again if an answer was lost; null for clients
 *     of earlier releases
 * @param claim the claim that the first rank got and handed to the others; null for the first rank
 * @param home the agent that the first rank saves through; null for the first rank
 */
record Joining(
    @Nullable Long after,
    @Nullable UUID client,
    int worker,
    int workers,
    @Nullable Claim claim,
    @Nullable String home) {

  /** Far more ranks than a run has. */
  private static final int MOST_WORKERS = 100_000;

  Joining {
    if (workers < 1 || workers > MOST_WORKERS || worker < 0 || worker >= workers) {
      throw new BadInput(
          "There is no rank %d of %d.".formatted(worker, workers), "Maybe count ranks from zero.");
    }
    if (worker > 0 && claim == null) {
      throw new BadInput(
          "Rank %d brings no claim.".formatted(worker),
          "Maybe hand it the claim that rank 0 has got.");
    }
  }

  /** Returns whether the client saves alone. */
  boolean isAlone() {
    return workers == 1;
  }
}
