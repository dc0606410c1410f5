package io.deepvm.cluster.revocation;

import io.deepvm.units.BadInput;

/**
 * Spot nodes that are taken at a time.
 *
 * @param atSeconds in the market's time since the run's start
 * @param pool the pool they are taken from; -1 for any
 * @param count how many, chosen by lot; {@link #ALL} for every one
 * @param noticeSeconds how long before they are told; 0 for not at all
 * @param withheldSeconds how long after no spot node of the pool can be had
 */
public record Strike(
    double atSeconds, int pool, int count, double noticeSeconds, double withheldSeconds) {

  /** Every spot node there is. */
  public static final int ALL = Integer.MAX_VALUE;

  public Strike {
    if (!(atSeconds >= 0) || !(noticeSeconds >= 0) || !(withheldSeconds >= 0) || count < 1) {
      throw new BadInput(
          "Nodes cannot be taken like this: at %s s, %d of them, told %s s before, withheld %s s."
              .formatted(atSeconds, count, noticeSeconds, withheldSeconds),
          "Maybe give seconds of at least 0 and a count of at least 1.");
    }
  }
}
