package io.deepvm.workload.fit;

import io.deepvm.base.BadInput;
import io.deepvm.workload.parameterserver.TurnTaking;
import java.util.ArrayList;
import java.util.List;

/**
 * What turns at the servers cost, from workers alone and from so many that the servers' link is
 * always in use: relative errors are made least.
 *
 * @param fit parameters wire, turnSeconds and ownSeconds
 */
public record TurnFit(TurnTaking turns, FittedCurve fit) {

  /**
   * One measured cluster.
   *
   * @param idealSeconds what the link needs at least for the parameters one way
   * @param seconds of a worker alone besides computing; with the link always in use, from one
   *     iteration of all workers to the next
   */
  public record Point(double idealSeconds, double seconds) {}

  /** Fits a worker alone at two bandwidths at least, and clusters that keep the link in use. */
  public static TurnFit of(List<Point> alone, List<Point> full) {
    if (alone.isEmpty() || full.isEmpty()) {
      throw new BadInput(
          "Of workers alone there are %d measurements, of full links %d."
              .formatted(alone.size(), full.size()),
          "Maybe measure one worker at two bandwidths, and six of them at a third.");
    }
    List<CurvePoint> observations = new ArrayList<>();
    alone.forEach(point -> observations.add(observation(point, 2, 1)));
    full.forEach(point -> observations.add(observation(point, 1, 0)));
    Curve relative = (p, x) -> (x[0] * (p[0] * x[2] + p[1]) + x[1] * p[2]) / x[3];
    double shortest = full.stream().mapToDouble(Point::seconds).min().orElseThrow();
    FittedCurve fitted =
        new Regression(
                relative,
                List.of("wire", "turnSeconds", "ownSeconds"),
                List.of("transfers", "alone", "ideal seconds", "seconds"),
                observations,
                new double[3])
            .from(new double[] {1, shortest / 20, shortest / 20}, new boolean[3]);
    double[] found = fitted.values();
    return new TurnFit(new TurnTaking(found[0], found[1], found[2]), fitted);
  }

  private static CurvePoint observation(Point point, int transfers, int alone) {
    return new CurvePoint(new double[] {transfers, alone, point.idealSeconds, point.seconds}, 1);
  }
}
