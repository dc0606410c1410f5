package io.deepvm.places.recorded;

import io.deepvm.base.BadInput;

/**
 * Spot nodes that are taken at a time.
 *
 * @param atSeconds in the market's time since the run's start
 * @param pool the pool of the nodes; -1 for any
 * @param count the number of nodes, chosen by lot; {@link #ALL} for every one
 * @param noticeSeconds the lead of the notice; 0 for no notice
 * @param withheldSeconds the time after it in which the pool has no spot node
 */
public record Strike(
    double atSeconds, int pool, int count, double noticeSeconds, double withheldSeconds) {

  /** Every spot node there is. */
  public static final int ALL = Integer.MAX_VALUE;

  public Strike {
    if (!(atSeconds >= 0) || !(noticeSeconds >= 0) || !(withheldSeconds >= 0) || count < 1) {
      throw new BadInput(
          "Nodes cannot be taken like this: at %s s, %d of them, warned %s s before, withheld %s s."
              .formatted(atSeconds, count, noticeSeconds, withheldSeconds),
          "Maybe give seconds of at least 0 and a count of at least 1.");
    }
  }

  /** Whether it takes nodes of the pool. */
  boolean takesFrom(int other) {
    return pool < 0 || pool == other;
  }
}
