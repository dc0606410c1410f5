package io.deepvm.places.testing;

/**
 * What goes wrong between a coordinator and a {@link DataCentre}, as shares of all messages.
 *
 * @param loseRequest requests that never arrive
 * @param loseReply answers that never arrive, although the request was obeyed
 * @param repeatNews news that arrive twice
 * @param refuse orders that are refused although there is room
 * @param mostLagMicros the longest way of a message; each draws its own lag
 */
public record Faults(
    double loseRequest, double loseReply, double repeatNews, double refuse, long mostLagMicros) {

  /** Nothing goes wrong, and messages arrive at once. */
  public static final Faults NONE = new Faults(0, 0, 0, 0, 0);
}
