package io.deepvm.trainer.member;

import java.util.Comparator;

/**
 * What has been trained so far.
 *
 * @param step how many steps are committed
 * @param samples how many samples went into them
 * @param ledger a sum over these samples' positions that shows whether each counted once
 * @param loss the mean over the last step's samples
 * @param generation in which the last step was committed or the state restored: of two states the
 *     one of the newer generation counts, whatever its step
 */
public record Totals(long step, long samples, long ledger, double loss, long generation)
    implements Comparable<Totals> {

  private static final Comparator<Totals> ORDER =
      Comparator.comparingLong(Totals::generation).thenComparingLong(Totals::step);

  /** Nothing yet. */
  public static final Totals NONE = new Totals(0, 0, 0, Double.NaN, -1);

  /** Returns the same for a state that was restored in this generation. */
  public Totals in(long now) {
    return new Totals(step, samples, ledger, loss, now);
  }

  /** Whether the states of both are the same, bit by bit. */
  public boolean sameState(Totals other) {
    return compareTo(other) == 0;
  }

  @Override
  public int compareTo(Totals other) {
    return ORDER.compare(this, other);
  }
}
