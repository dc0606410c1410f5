package io.deepvm.places.ledger;

import java.util.ArrayList;
import java.util.List;

/**
 * The most that a run may cost. It holds even if no coordinator lives: every machine ends itself at
 * the end of its lease, and what is leased counts as spent.
 *
 * @param micros the ceiling in micro-dollars
 * @param untilMs no machine lives beyond this
 */
public record Ceiling(long micros, long untilMs, Terms terms) {

  /** Leases are renewed for this long before the ceiling is looked at again. */
  public static final long AHEAD_MS = 30_000;

  private static final double MICROS_MS_PER_HOUR = 3_600_000.0;

  /**
   * How long a machine lives without a coordinator.
   *
   * @param bootSeconds from its order, if no coordinator ever reached it
   * @param nodeSeconds after the last renewal its node ends
   * @param graceSeconds after the end of its node the machine ends
   * @param endSeconds from the end of its lease until it is paid no more
   * @param partSeconds the notice that nodes get before the ceiling
   */
  public record Terms(
      long bootSeconds, long nodeSeconds, long graceSeconds, long endSeconds, long partSeconds) {

    /** The usual terms. */
    public static final Terms USUAL = new Terms(900, 120, 180, 60, 120);
  }

  /**
   * A machine that may cost money.
   *
   * @param sinceMs from when it may be paid
   * @param renewedMs until when its lease may have been renewed; 0 if it never was
   * @param renewable whether its lease will be renewed again
   */
  public record Cost(long sinceMs, long mostMicrosPerHour, long renewedMs, boolean renewable) {

    private Cost renewedUntil(long ms) {
      return renewable ? new Cost(sinceMs, mostMicrosPerHour, Math.max(renewedMs, ms), true) : this;
    }
  }

  /** Returns when a machine has ended itself for certain, if nobody renews its lease again. */
  public long leftAloneUntilMs(Cost cost) {
    long unreached = cost.sinceMs() + 1000 * terms.bootSeconds();
    long reached = cost.renewedMs() + 1000 * (terms.nodeSeconds() + terms.graceSeconds());
    return Math.max(unreached, reached) + 1000 * terms.endSeconds();
  }

  /**
   * Returns the most that the run costs if no lease is renewed from now on.
   *
   * @param spentMicros what the machines have cost that are gone
   */
  public long worstMicros(long spentMicros, List<Cost> machines) {
    double micros = spentMicros;
    for (Cost cost : machines) {
      double paidMs = leftAloneUntilMs(cost) - cost.sinceMs();
      micros += cost.mostMicrosPerHour() * paidMs / MICROS_MS_PER_HOUR;
    }
    return (long) Math.ceil(micros);
  }

  /** Whether one more machine at this price fits below the ceiling. */
  public boolean allows(long spentMicros, List<Cost> machines, long mostMicrosPerHour, long nowMs) {
    List<Cost> all = new ArrayList<>(machines);
    all.add(new Cost(nowMs, mostMicrosPerHour, 0, true));
    // A run that must part at once is no use.
    long partedMs = nowMs + AHEAD_MS + 1000 * terms.partSeconds();
    return worstMicros(spentMicros, renewed(all, partedMs)) <= micros
        && nowMs + 1000 * terms.bootSeconds() < untilMs;
  }

  /** Whether leases must not be renewed any more, to stay below the ceiling. */
  public boolean isNear(long spentMicros, List<Cost> machines, long nowMs) {
    return worstMicros(spentMicros, renewed(machines, nowMs + AHEAD_MS)) > micros || isLate(nowMs);
  }

  /** Whether the time of the run is over, but for the notice of its nodes. */
  public boolean isLate(long nowMs) {
    return nowMs + AHEAD_MS + 1000 * terms.partSeconds() >= untilMs;
  }

  private static List<Cost> renewed(List<Cost> machines, long untilMs) {
    return machines.stream().map(cost -> cost.renewedUntil(untilMs)).toList();
  }
}
