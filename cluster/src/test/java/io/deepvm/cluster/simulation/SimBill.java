package io.deepvm.cluster.simulation;

import io.deepvm.cluster.log.Event;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the leases of the log with the cloud's own meter. A lease covers the whole life of its
 * machine but for the time that news and requests need on their way.
 */
final class SimBill {

  /** The longest time for news of an end, or for a request to end, to arrive. */
  private static final long ON_THE_WAY_MS = 90_000;

  private final Map<String, Long> from = new LinkedHashMap<>();
  private final Map<String, Long> to = new LinkedHashMap<>();

  /**
   * Notes an event that was written at this moment since the start. An event that a crash lost is
   * written again.
   */
  void written(Event event, long atMs) {
    if (event instanceof Event.Rented e) {
      from.put(e.node(), atMs);
    } else if (event instanceof Event.NodeTurned e && e.to().isEnd()) {
      to.put(e.node(), atMs);
    }
  }

  /**
   * Throws if a machine existed without a lease, or long after its lease, or ended long before.
   *
   * @param pauses when no coordinator worked, so that nothing could be ended
   */
  void check(Map<String, SimCloud.Lifetime> metered, List<long[]> pauses) {
    metered.forEach((node, machine) -> check(node, machine, pauses));
  }

  private void check(String node, SimCloud.Lifetime machine, List<long[]> pauses) {
    Long paidFrom = from.get(node);
    Long paidTo = to.get(node);
    if (paidFrom == null || paidTo == null || paidFrom > machine.fromMs()) {
      throw new AssertionError(
          "The machine of %s exists from %d ms on, its lease from %s to %s."
              .formatted(node, machine.fromMs(), paidFrom, paidTo));
    }
    long early = Math.min(machine.toMs(), paidTo);
    long late = Math.max(machine.toMs(), paidTo);
    if (late - early - paused(early, late, pauses) > ON_THE_WAY_MS) {
      throw new AssertionError(
          "The machine of %s ended at %d ms, its lease at %d ms."
              .formatted(node, machine.toMs(), paidTo));
    }
  }

  private static long paused(long fromMs, long toMs, List<long[]> pauses) {
    return pauses.stream()
        .mapToLong(pause -> Math.max(0, Math.min(toMs, pause[1]) - Math.max(fromMs, pause[0])))
        .sum();
  }
}
