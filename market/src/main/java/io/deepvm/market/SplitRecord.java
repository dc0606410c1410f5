package io.deepvm.market;

import java.util.Random;

/**
 * A market whose record asked some pools for one node only, lived by several nodes.
 *
 * <p>Of such a pool the record says when its one node was up. The course of another node is the
 * record begun at another tick and going round, so that it is up as often and as long.
 *
 * @param market as recorded; its pools of one node count 0 or all nodes
 * @param single which pools the record asked for one node
 * @param nodes how many live in each of those pools
 */
public record SplitRecord(SpotMarket market, boolean[] single, int nodes, Dependence dependence) {

  /** Returns the courses of several nodes in a piece of the market, the same for the same seed. */
  public SpotMarket split(SpotMarket piece, long seed) {
    Random random = Seeds.random(seed);
    int[][] counts = new int[single.length][];
    for (int p = 0; p < counts.length; p++) {
      counts[p] = piece.counts(p);
      if (single[p]) {
        boolean[] record = up(market.counts(p));
        boolean[] common = up(counts[p]);
        counts[p] =
            dependence.counts(
                common,
                () -> begunAt(record, random.nextInt(record.length), common.length),
                nodes,
                market.tickSeconds(),
                random);
      }
    }
    return piece.with(counts);
  }

  private static boolean[] up(int[] counts) {
    boolean[] up = new boolean[counts.length];
    for (int t = 0; t < up.length; t++) {
      up[t] = counts[t] > 0;
    }
    return up;
  }

  private static boolean[] begunAt(boolean[] record, int first, int length) {
    boolean[] course = new boolean[length];
    for (int t = 0, at = first; t < length; t++) {
      course[t] = record[at];
      at = at + 1 == record.length ? 0 : at + 1;
    }
    return course;
  }
}
