package io.deepvm.places.ledger;

import io.deepvm.catalog.Market;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the ledger says of one node. Each fact is on disk before anything follows from it.
 *
 * @param ordered null if nothing was sent for the node
 * @param granted null if the place has not answered
 * @param owed null if nobody asked for the end
 * @param gone null if the machine may exist
 */
public record Account(
    String node,
    @Nullable Ordered ordered,
    @Nullable Granted granted,
    @Nullable Owed owed,
    @Nullable Gone gone) {

  /**
   * An order as it is sent, also when it is sent again.
   *
   * @param request the parameters of the place's own request, with its token
   * @param mostMicrosPerHour the machine never costs more
   */
  public record Ordered(
      String pool, Market market, Map<String, String> request, long mostMicrosPerHour, long atMs) {
    public Ordered {
      request = Collections.unmodifiableMap(new TreeMap<>(request));
    }
  }

  /**
   * The place has a machine.
   *
   * @param sinceMs the place's own time from which it is paid
   */
  public record Granted(String handle, long sinceMs) {}

  /** The machine must end. */
  public record Owed(String reason, long atMs) {}

  /**
   * The place says that no machine exists any more.
   *
   * @param untilMs the place's own time until which it was paid
   * @param micros what it cost
   * @param exact whether the place stated the time and the prices; else the cost is an upper bound
   * @param forgotten whether the place never said so, and only does not know the machine any more
   */
  public record Gone(
      String cause, String reason, long untilMs, long micros, boolean exact, boolean forgotten) {}

  /** Whether a machine may exist that nobody needs. */
  public boolean isOwed() {
    return owed != null && gone == null;
  }

  /** Whether a machine may exist and cost money. */
  public boolean mayCost() {
    return ordered != null && gone == null;
  }
}
