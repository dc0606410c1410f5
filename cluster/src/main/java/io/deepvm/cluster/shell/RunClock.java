package io.deepvm.cluster.shell;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * A clock that never goes back, because timeouts are moments of this clock. Setting the machine's
 * clock does not move it, and it starts no earlier than the last event of the log.
 */
public final class RunClock extends Clock {

  private final long startMs;
  private final long startNanos = System.nanoTime();

  /** Makes a clock that begins now, or at a later moment that the log has reached already. */
  public RunClock(long leastMs) {
    startMs = Math.max(leastMs, System.currentTimeMillis());
  }

  @Override
  public long millis() {
    return startMs + (System.nanoTime() - startNanos) / 1_000_000;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("A run counts in UTC.");
  }
}
