package io.deepvm.simulator.policy;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/** What each further member adds, so that the last ones are not paid as if they were the first. */
final class SpeedCurve {

  /** Of 1, 2, ... members. */
  private final double[] speeds;

  /** What a member adds: the slope of the speeds' least concave majorant there. */
  private final double[] gains;

  SpeedCurve(int workers, IntToDoubleFunction speed) {
    speeds = new double[workers];
    for (int n = 1; n <= workers; n++) {
      speeds[n - 1] = speed.applyAsDouble(n);
    }
    gains = new double[workers];
    for (int from = 0; from < workers; ) {
      double base = from == 0 ? 0 : speeds[from - 1];
      int best = from + 1;
      double slope = 0;
      for (int n = from + 1; n <= workers; n++) {
        double candidate = (speeds[n - 1] - base) / (n - from);
        if (candidate >= slope) {
          slope = candidate;
          best = n;
        }
      }
      Arrays.fill(gains, from, best, slope);
      from = best;
    }
  }

  /** Returns how many members reach a speed; all when that is not enough. */
  int reaching(double speed) {
    for (int n = 1; n < speeds.length; n++) {
      if (speeds[n - 1] >= speed) {
        return n;
      }
    }
    return speeds.length;
  }

  /** Returns how many times dearer the work of the next member is than that of another. */
  double dearer(int next, int than) {
    if (next <= than) {
      return 1;
    }
    return gains[next - 1] > 0 ? gains[than - 1] / gains[next - 1] : Double.POSITIVE_INFINITY;
  }
}
