package io.deepvm.simulator;

import io.deepvm.base.BadInput;

/**
 * Some of the runs of an experiment, by their numbers.
 *
 * @param from the first
 * @param to one after the last
 */
public record RunRange(int from, int to) {
  public RunRange {
    if (from < 0 || to <= from) {
      throw new BadInput(
          "There is no run from number %d to before %d.".formatted(from, to),
          "Maybe make fewer parts than runs.");
    }
  }

  /** Returns all of this many runs. */
  static RunRange all(int runs) {
    return new RunRange(0, Math.max(1, runs));
  }

  /**
   * Returns one of several parts that differ by one run at most.
   *
   * @param part counted from 1
   */
  public static RunRange part(int part, int parts, int runs) {
    if (part < 1 || part > parts) {
      throw new BadInput(
          "There is no part %d of %d.".formatted(part, parts), "Maybe count parts from 1.");
    }
    return new RunRange(
        (int) ((long) runs * (part - 1) / parts), (int) ((long) runs * part / parts));
  }

  /** Returns the number of runs. */
  public int size() {
    return to - from;
  }
}
