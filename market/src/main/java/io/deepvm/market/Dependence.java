package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * How far the nodes of one pool come and go together. For a share of the time all of them follow
 * one course; for the rest each follows a course of its own, of the same kind.
 *
 * <p>So a pair of nodes is up or down together as often as the share says beyond chance, and a node
 * that is lost takes another one along with about that chance. Each node for itself is up as often
 * and loses its life as often as the course that was recorded.
 *
 * @param share of the time in which all nodes follow one course
 */
public record Dependence(double share) {

  /**
   * The chance that a second node of a zone is lost in the same tick as a first, measured on 17
   * zones that were asked for 4 or 16 nodes every 5 or 10 minutes: 4 of AWS (V100, August 2023) and
   * 13 of GCP (H100, October 2025), 14,687 nodes lost. By a bootstrap over zones its 95 % interval
   * is 0.63 to 0.79.
   */
  public static final Dependence MEASURED = new Dependence(0.71);

  /** All nodes of a pool are lost at once. */
  public static final Dependence TOGETHER = new Dependence(1);

  /** No node of a pool has anything to do with the others. */
  public static final Dependence INDEPENDENT = new Dependence(0);

  /** How long nodes stay on one course or on their own. */
  private static final double BLOCK_SECONDS = 12 * 3600;

  public Dependence {
    if (!(share >= 0 && share <= 1)) {
      throw new BadInput(
          "A dependence of %s is not a share.".formatted(share),
          "Maybe give a number from 0 to 1.");
    }
  }

  /**
   * Returns the share of other nodes that a lost node takes along in its tick, over all nodes that
   * traces with counts have lost; NaN where none was lost beside another.
   */
  public static double measured(List<Trace> traces) {
    double taken = 0;
    double lost = 0;
    for (Trace trace : traces) {
      int[] counts = trace.available();
      for (int t = 1; t < counts.length; t++) {
        int before = counts[t - 1];
        int gone = before - counts[t];
        if (before > 1 && counts[t] != Trace.UNKNOWN && gone > 0) {
          taken += gone * (gone - 1.0) / (before - 1);
          lost += gone;
        }
      }
    }
    return taken / lost;
  }

  /**
   * Returns how many nodes are up in each tick.
   *
   * <p>A node changes between the common course and its own where both agree, so that the change
   * itself neither takes nor gives a node.
   *
   * @param common the course that all follow for a share of the time, up or down by tick
   * @param own draws a course of the same length for one node
   */
  public int[] counts(
      boolean[] common, Supplier<boolean[]> own, int nodes, double tickSeconds, Random random) {
    int block = (int) Math.max(1, Math.round(BLOCK_SECONDS / tickSeconds));
    int first = random.nextInt(block);
    boolean[] together = new boolean[(common.length + first) / block + 1];
    boolean always = true;
    for (int b = 0; b < together.length; b++) {
      together[b] = random.nextDouble() < share;
      always &= together[b];
    }
    int[] counts = new int[common.length];
    if (always || nodes == 1) {
      for (int t = 0; t < counts.length; t++) {
        counts[t] = common[t] ? nodes : 0;
      }
      return counts;
    }
    for (int node = 0; node < nodes; node++) {
      add(counts, common, own.get(), together, first, block);
    }
    return counts;
  }

  private static void add(
      int[] counts, boolean[] common, boolean[] own, boolean[] together, int first, int block) {
    boolean follows = together[0];
    for (int t = 0; t < counts.length; t++) {
      if (common[t] == own[t]) {
        follows = together[(t + first) / block];
      }
      counts[t] += (follows ? common : own)[t] ? 1 : 0;
    }
  }
}
