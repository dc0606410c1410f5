package io.deepvm.simulator;

import io.deepvm.base.BadInput;

/**
 * What a node loads before it trains, and what keeping it costs.
 *
 * @param seconds from a node that is up to one that can join
 * @param usd for traffic, once a node
 * @param diskUsdPerHour of one node
 */
public record NodeLoad(double seconds, double usd, double diskUsdPerHour) {

  /** Nodes that load nothing. */
  public static final NodeLoad NONE = new NodeLoad(0, 0, 0);

  public NodeLoad {
    if (!(seconds >= 0 && usd >= 0 && diskUsdPerHour >= 0)
        || Double.isInfinite(seconds + usd + diskUsdPerHour)) {
      throw new BadInput(
          "Nodes that load for %s s, $%s and a disk of $%s/h are not possible."
              .formatted(seconds, usd, diskUsdPerHour),
          "Maybe a digit or a sign slipped in.");
    }
  }
}
