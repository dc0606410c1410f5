package io.deepvm.places.notice;

import java.time.Duration;
import java.time.Instant;

/**
 * A cloud's word that this machine will be taken.
 *
 * @param source the cloud, or the signal
 * @param action what will happen, as the source names it
 * @param at when it will happen
 * @param certain false for a hint that the machine is more likely to be taken than before
 */
public record Notice(String source, String action, Instant at, boolean certain) {

  /** Returns the seconds that are left, at least 0. */
  public double leadSeconds(Instant now) {
    return Math.max(0, Duration.between(now, at).toMillis() / 1e3);
  }

  /** Whether both are about the same event; a source may move its time a little. */
  boolean isSameEvent(Notice other) {
    return source.equals(other.source) && action.equals(other.action) && certain == other.certain;
  }
}
