package io.deepvm.workload.fit;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.workload.parameterserver.Contention;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Contention from the bandwidth that workers got: the share of the way from the bandwidth of a lone
 * worker to the fair share, fitted by a line in the square root of the number of workers.
 *
 * @param fit parameters alpha1 and beta1; the input is the number of workers
 */
public record ContentionFit(Contention contention, FittedCurve fit) {

  /** So close to none or to full contention, a measurement is taken for one beyond the line. */
  private static final double CERTAIN = 0.01;

  /** The measured bandwidth of each of n workers towards the servers. */
  public record Point(int workers, Bandwidth got) {}

  /** Fits the points at which workers contend; the other points are left out. */
  public static ContentionFit of(List<Point> points, Bandwidth alone, Bandwidth servers) {
    List<CurvePoint> observations = new ArrayList<>();
    int certain = 0;
    for (Point point : points) {
      double share = servers.bytesPerSecond() / point.workers();
      double wanted = alone.bytesPerSecond();
      if (wanted > share) {
        double probability = (wanted - point.got().bytesPerSecond()) / (wanted - share);
        if (probability > 1 - CERTAIN || probability < CERTAIN) {
          certain++;
        } else {
          observations.add(new CurvePoint(new double[] {point.workers()}, probability));
        }
      }
    }
    long sizes = observations.stream().mapToDouble(o -> o.inputs()[0]).distinct().count();
    if (sizes < 2) {
      throw new BadInput(
          "Of %d measurements only %d numbers of workers show contention that is neither none nor"
                  .formatted(points.size(), sizes)
              + " full; two are needed.",
          "Maybe measure with more workers than %.0f, at which the servers are full."
              .formatted(Math.ceil(servers.bytesPerSecond() / alone.bytesPerSecond())));
    }
    Curve line = (p, x) -> p[0] * Math.sqrt(x[0]) + p[1];
    double none = Double.NEGATIVE_INFINITY;
    double[] start = start(observations);
    List<String> warnings = new ArrayList<>();
    if (certain > 0) {
      warnings.add("%d measurements with no or full contention were left out.".formatted(certain));
    }
    FittedCurve fitted =
        new Regression(
                line,
                List.of("alpha1", "beta1"),
                List.of("workers"),
                observations,
                new double[] {none, none})
            .from(start, new boolean[2])
            .warning(warnings);
    double[] found = fitted.values();
    return new ContentionFit(Contention.of(found[0], found[1]), fitted);
  }

  /** The line through the first and the last point. */
  private static double[] start(List<CurvePoint> observations) {
    CurvePoint[] sorted =
        observations.stream()
            .sorted((a, b) -> Double.compare(a.inputs()[0], b.inputs()[0]))
            .toArray(CurvePoint[]::new);
    CurvePoint first = sorted[0];
    CurvePoint last = sorted[sorted.length - 1];
    double from = Math.sqrt(first.inputs()[0]);
    double slope = (last.value() - first.value()) / (Math.sqrt(last.inputs()[0]) - from);
    return Arrays.stream(new double[] {slope, first.value() - slope * from})
        .map(value -> value == 0 ? 1e-3 : value)
        .toArray();
  }
}
