package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.time.Duration;

/**
 * How long one endpoint waits at most.
 *
 * @param handshake from connecting until both sides are proven
 * @param heartbeat how long to be quiet before a sign of life
 * @param silence how long to receive nothing before the other side counts as dead
 * @param stall how long a transfer or a write may stand still
 * @param commit from the last byte to the receiver's word that it has accepted the whole
 * @param request from a request to its answer
 */
public record Timeouts(
    Duration handshake,
    Duration heartbeat,
    Duration silence,
    Duration stall,
    Duration commit,
    Duration request) {

  /** A dead peer is noticed within 10 s, a transfer that stands still within a minute. */
  public static final Timeouts USUAL =
      new Timeouts(
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          Duration.ofSeconds(30));

  public Timeouts {
    for (Duration wait : new Duration[] {handshake, heartbeat, silence, stall, commit, request}) {
      if (wait.isZero() || wait.isNegative()) {
        throw new BadInput(
            "A timeout (" + wait + ") is not positive.", "Maybe take the usual ones.");
      }
    }
    if (silence.compareTo(heartbeat.multipliedBy(2)) < 0) {
      throw new BadInput(
          "The silence (" + silence + ") is shorter than two heartbeats (" + heartbeat + ").",
          "Maybe raise it: one late heartbeat is not a death.");
    }
  }

  /** Returns the same timeouts with another one for the handshake. */
  public Timeouts withHandshake(Duration wait) {
    return new Timeouts(wait, heartbeat, silence, stall, commit, request);
  }
}
