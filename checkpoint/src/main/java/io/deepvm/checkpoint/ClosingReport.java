package io.deepvm.checkpoint;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is safe after the engine has closed.
 *
 * @param lastDurableStep the newest durable step; null when there is none
 * @param unfinished the saves that some tier did not get in time
 */
public record ClosingReport(@Nullable Long lastDurableStep, List<Ticket> unfinished) {

  public ClosingReport {
    unfinished = List.copyOf(unfinished);
  }
}
