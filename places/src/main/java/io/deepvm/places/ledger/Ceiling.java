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

  private static final double MICROS_MS_PER_HOUR = 3_600_000.0;

  /**
   * How long a machine lives without a coordinator.
   *
   * @param bootSeconds from its start, if no coordinator ever reached it
   * @param nodeSeconds after the last renewal its node ends
   * @param graceSeconds after the end of its node the machine ends
   * @param endSeconds from the end of its lease until it is paid no more
   * @param partSeconds the notice that nodes get before the ceiling
   */
  public record Terms(
      long bootSeconds, long nodeSeconds, long graceSeconds, long endSeconds, long partSeconds) {

    /** The usual terms. */
    public static final Terms USUAL = new Terms(900, 120, 180, 60, 120);

    /** Returns the longest time that a machine is paid for if it is left alone from now on. */
    long leftAloneSeconds(long ageSeconds) {
      return Math.max(bootSeconds - ageSeconds, nodeSeconds + graceSeconds) + endSeconds;
    }
  }

  /**
   * A machine that may cost money.
   *
   * @param sinceMs from when it is paid; for an unanswered order the time of the order
   */
  public record Cost(long sinceMs, long mostMicrosPerHour) {}

  /**
   * Returns the most that is spent if no coordinator lives from now on.
   *
   * @param spentMicros what the machines have cost that are gone
   */
  public long worstMicros(long spentMicros, List<Cost> machines, long nowMs) {
    double micros = spentMicros;
    for (Cost cost : machines) {
      long age = Math.max(0, (nowMs - cost.sinceMs()) / 1000);
      double paidMs = Math.max(0, nowMs - cost.sinceMs()) + 1000.0 * terms.leftAloneSeconds(age);
      micros += cost.mostMicrosPerHour() * paidMs / MICROS_MS_PER_HOUR;
    }
    return (long) Math.ceil(micros);
  }

  /** Whether one more machine at this price fits below the ceiling. */
  public boolean allows(long spentMicros, List<Cost> machines, long mostMicrosPerHour, long nowMs) {
    List<Cost> all = new ArrayList<>(machines);
    all.add(new Cost(nowMs, mostMicrosPerHour));
    return worstMicros(spentMicros, all, nowMs) + partingMicros(all) <= micros
        && nowMs + 1000 * terms.bootSeconds() < untilMs;
  }

  /** Whether the run must give its machines back now, to stay below the ceiling. */
  public boolean isNear(long spentMicros, List<Cost> machines, long nowMs) {
    return !machines.isEmpty()
        && (worstMicros(spentMicros, machines, nowMs) + partingMicros(machines) >= micros
            || nowMs + 1000 * terms.partSeconds() >= untilMs);
  }

  /**
   * Returns how long the nodes may part, once the ceiling is near. An earlier coordinator may have
   * used some of that time.
   */
  public long partingSeconds(long spentMicros, List<Cost> machines, long nowMs) {
    double rate = machines.stream().mapToLong(Cost::mostMicrosPerHour).sum() / 3600.0;
    double room = micros - worstMicros(spentMicros, machines, nowMs) - rate * terms.endSeconds();
    double seconds = Math.min(rate == 0 ? 0 : room / rate, (untilMs - nowMs) / 1000.0);
    return (long) Math.max(0, Math.min((double) terms.partSeconds(), seconds));
  }

  /** Returns what the machines cost at most while they part, with room for a late look. */
  private long partingMicros(List<Cost> machines) {
    double rate = machines.stream().mapToLong(Cost::mostMicrosPerHour).sum();
    return (long) Math.ceil(rate * (terms.partSeconds() + terms.endSeconds()) / 3600);
  }
}
