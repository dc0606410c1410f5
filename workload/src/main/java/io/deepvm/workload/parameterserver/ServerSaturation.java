package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * How fast equal workers train asynchronously over parameter servers that take this many steps a
 * second and no more.
 *
 * @param alone steps per second of one worker
 * @param capacity steps per second that the servers take at most; infinite when never reached
 */
public record ServerSaturation(double alone, double capacity) {

  /** How sharply the capacity ends the growth: speeds of CM-DARE's clusters fit best near it. */
  private static final double SHARPNESS = 8;

  /** Candidates of the fit, relative to what was measured. */
  private static final double LEAST_ALONE = 0.9;

  private static final double MOST_ALONE = 1.15;
  private static final double LEAST_CAPACITY = 0.85;
  private static final double MOST_CAPACITY = 3;
  private static final int ALONE_STEPS = 25;
  private static final int CAPACITY_STEPS = 60;

  /** The mean error counts this much beside the median, so that no outlier decides the fit. */
  private static final double MEAN_WEIGHT = 0.3;

  public ServerSaturation {
    if (!(alone > 0 && capacity > 0 && Double.isFinite(alone))) {
      throw new BadInput(
          "Workers of %s steps/s and servers of %s steps/s cannot train."
              .formatted(alone, capacity),
          "Maybe both are above 0.");
    }
  }

  /** Returns steps per second of this many workers together. */
  public double stepsPerSecond(int workers) {
    double free = workers * alone;
    return free / Math.pow(1 + Math.pow(free / capacity, SHARPNESS), 1 / SHARPNESS);
  }

  /** Returns what fits steps per second by number of workers best, at least two of them. */
  public static ServerSaturation fit(Map<Integer, Double> measured) {
    if (measured.size() < 2) {
      throw new BadInput(
          "%d measured cluster cannot show what servers take.".formatted(measured.size()),
          "Maybe measure few and many workers.");
    }
    int fewest = Collections.min(measured.keySet());
    double each = measured.getOrDefault(fewest, 0.0) / fewest;
    double most = Collections.max(measured.values());
    ServerSaturation best = new ServerSaturation(each, Double.POSITIVE_INFINITY);
    double least = best.misfit(measured);
    for (int i = 0; i <= ALONE_STEPS; i++) {
      double alone = each * between(LEAST_ALONE, MOST_ALONE, i / (double) ALONE_STEPS);
      for (int j = 0; j <= CAPACITY_STEPS + 1; j++) {
        double capacity =
            j > CAPACITY_STEPS
                ? Double.POSITIVE_INFINITY
                : most * between(LEAST_CAPACITY, MOST_CAPACITY, j / (double) CAPACITY_STEPS);
        ServerSaturation candidate = new ServerSaturation(alone, capacity);
        double misfit = candidate.misfit(measured);
        if (misfit < least) {
          best = candidate;
          least = misfit;
        }
      }
    }
    return best;
  }

  private static double between(double low, double high, double share) {
    return low + share * (high - low);
  }

  private double misfit(Map<Integer, Double> measured) {
    List<Double> errors = new ArrayList<>();
    measured.forEach(
        (workers, steps) -> errors.add(Math.abs(Math.log(stepsPerSecond(workers) / steps))));
    Collections.sort(errors);
    int half = errors.size() / 2;
    double median =
        errors.size() % 2 == 1 ? errors.get(half) : (errors.get(half - 1) + errors.get(half)) / 2;
    double mean = errors.stream().mapToDouble(error -> error).average().orElse(0);
    return median + MEAN_WEIGHT * mean;
  }
}
