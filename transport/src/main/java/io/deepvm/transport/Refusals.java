package io.deepvm.transport;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Counts connections that ended before their other side was proven, and logs some of them. */
final class Refusals {

  private static final System.Logger LOG = System.getLogger(Refusals.class.getName());
  static final Duration PAUSE = Duration.ofSeconds(10);

  private final LongSupplier nanoClock;
  private long total;
  private long logged;
  private long loggedAt;

  Refusals(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Counts one; logs at most one line in a pause, which also counts those since the last. */
  synchronized void add(InetSocketAddress from, String reason) {
    total++;
    long now = nanoClock.getAsLong();
    if (logged == 0 || now - loggedAt > PAUSE.toNanos()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "Refused {0} connection(s) without proof, the last from {1}: {2}",
          total - logged,
          from.getAddress().getHostAddress(),
          // Parts of it may come from the stranger.
          reason.replaceAll("\\p{Cntrl}", "?"));
      logged = total;
      loggedAt = now;
    }
  }

  synchronized long total() {
    return total;
  }
}
