package io.deepvm.places.recorded;

import java.util.List;

/** How nodes are lost besides the nodes that the market takes. */
public sealed interface Revocations {

  /** Only as the market's capacity goes down. */
  record OfMarket() implements Revocations {}

  /**
   * Each spot node lives for a time of its own, drawn from an exponential distribution.
   *
   * @param perHour losses of one node in an hour of the market's time
   * @param noticeSeconds the lead of the notice; 0 for no notice
   */
  record Hazard(double perHour, double noticeSeconds) implements Revocations {}

  /** As written down. */
  record Script(List<Strike> strikes) implements Revocations {
    public Script {
      strikes = List.copyOf(strikes);
    }
  }
}
