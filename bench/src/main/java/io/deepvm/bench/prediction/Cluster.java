package io.deepvm.bench.prediction;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Workers of these speeds, every link of this bandwidth.
 *
 * @param speeds 1 for the time that a micro-batch shall take
 */
public record Cluster(int megabits, List<Double> speeds) {

  public Cluster {
    speeds = List.copyOf(speeds);
  }

  /** Returns one. */
  public static Cluster of(int megabits, double... speeds) {
    return new Cluster(megabits, Arrays.stream(speeds).boxed().toList());
  }

  @Override
  public String toString() {
    return speeds.stream()
        .map(speed -> String.format(Locale.ROOT, "%.2f", speed))
        .collect(Collectors.joining(" "));
  }
}
