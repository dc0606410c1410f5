package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.time.Duration;

/**
 * How to try again: pauses double from the first to the longest, and after this much patience
 * without a byte of progress it is over.
 */
public record Backoff(Duration first, Duration longest, Duration patience) {

  /** From 0.1 s to 5 s, for two minutes: about as long as a notice of revocation. */
  public static final Backoff USUAL =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5), Duration.ofMinutes(2));

  public Backoff {
    if (first.toMillis() < 1 || longest.compareTo(first) < 0 || patience.isNegative()) {
      throw new BadInput(
          "The pauses ("
              + first
              + " to "
              + longest
              + ") do not grow from 1 ms on, or the patience ("
              + patience
              + ") is negative.",
          "Maybe take the usual ones.");
    }
  }

  /** Returns the pause after this one. */
  Duration after(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(longest) < 0 ? twice : longest;
  }
}
