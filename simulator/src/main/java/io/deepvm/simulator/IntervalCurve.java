package io.deepvm.simulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * What the time between checkpoints does to cost and time, by simulation.
 *
 * @param points from the shortest interval to the longest, all lived through the same futures
 */
public record IntervalCurve(List<Point> points) {

  /** How many intervals a factor of ten holds. */
  private static final int PER_DECADE = 6;

  /** One interval and what came of it. */
  public record Point(double seconds, Sample sample) {}

  public IntervalCurve {
    points = List.copyOf(points);
  }

  /**
   * Tries intervals from a few times the stall, or a tenth of a minute, to the whole work.
   *
   * @param sample lives through the futures with checkpoints at an interval in seconds
   */
  public static IntervalCurve of(Scenario scenario, DoubleFunction<Sample> sample) {
    double shortest = Math.max(6, 2 * scenario.checkpointing().stallSeconds());
    double longest = Math.max(2 * shortest, scenario.work());
    List<Point> points = new ArrayList<>();
    int steps = (int) Math.ceil(PER_DECADE * Math.log10(longest / shortest));
    for (int i = 0; i <= steps; i++) {
      double seconds = shortest * Math.pow(longest / shortest, (double) i / steps);
      points.add(new Point(seconds, sample.apply(seconds)));
    }
    return new IntervalCurve(points);
  }

  /**
   * Returns the interval of the least mean cost of the runs that were done, among the intervals
   * that miss the deadline least.
   */
  public Point best() {
    return points.stream()
        .min(
            Comparator.comparingDouble((Point p) -> p.sample().missed())
                .thenComparingDouble(p -> p.sample().meanUsd()))
        .orElseThrow();
  }
}
