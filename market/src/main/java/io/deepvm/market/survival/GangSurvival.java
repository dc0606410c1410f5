package io.deepvm.market.survival;

import io.deepvm.base.BadInput;
import io.deepvm.market.Trace;

/**
 * The chance that all of some nodes last for some hours, counted: of all ticks in which this many
 * could be had, the share after which they could be had throughout. Only what was watched to its
 * end counts.
 *
 * @param windows how many ticks could be counted; windows overlap, so they are not as many
 *     independent trials
 * @param share NaN where there was none
 */
public record GangSurvival(int nodes, double hours, int windows, double share) {

  /** Counts the windows of a trace. */
  public static GangSurvival of(Trace trace, int nodes, double hours) {
    if (nodes < 1 || nodes > trace.asked() || !(hours > 0)) {
      throw new BadInput(
          "The trace of %s asked for %d nodes, so it says nothing of %d over %s h."
              .formatted(trace.pool(), trace.asked(), nodes, hours),
          "Maybe ask for 1 to %d nodes and more than 0 hours.".formatted(trace.asked()));
    }
    int[] counts = trace.available();
    int length =
        (int) Math.min(counts.length, Math.ceil(hours * 3600 / trace.tickSeconds() - 1e-9));
    int windows = 0;
    int survived = 0;
    int firstGap = counts.length;
    int firstLoss = counts.length;
    for (int t = counts.length - 1; t >= 0; t--) {
      if (counts[t] == Trace.UNKNOWN) {
        firstGap = t;
      } else if (counts[t] < nodes) {
        firstLoss = t;
      } else if (t + length < counts.length && firstGap > t + length) {
        windows++;
        survived += firstLoss > t + length ? 1 : 0;
      }
    }
    return new GangSurvival(
        nodes, hours, windows, windows == 0 ? Double.NaN : (double) survived / windows);
  }
}
