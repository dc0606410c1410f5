package io.deepvm.trainer.averaging;

/** How long each member of a generation takes for a micro-batch, as rank 0 sees it ask. */
final class Tempo {

  private final double[] nanos;

  Tempo(int members) {
    nanos = new double[members];
  }

  /** Notes what a micro-batch took; the newest counts half. */
  synchronized void note(int rank, long took) {
    nanos[rank] = nanos[rank] == 0 ? Math.max(1, took) : (nanos[rank] + Math.max(1, took)) / 2;
  }

  /** Returns what the next one will take, 0 if nothing is known of the member. */
  synchronized double nanos(int rank) {
    return nanos[rank];
  }

  synchronized boolean isKnown() {
    for (double each : nanos) {
      if (each == 0) {
        return false;
      }
    }
    return true;
  }
}
