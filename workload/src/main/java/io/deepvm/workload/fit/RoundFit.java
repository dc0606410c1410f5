package io.deepvm.workload.fit;

import io.deepvm.base.BadInput;
import java.util.List;

/**
 * What a round of the built-in trainer costs, from the communication it reported: relative errors
 * are made least.
 *
 * @param stepSeconds what a round takes with any members
 * @param peerSeconds what it takes more for each peer but the first
 * @param wire how many times the ideal time sending takes
 */
public record RoundFit(double stepSeconds, double peerSeconds, double wire, FittedCurve fit) {

  /**
   * The rounds of one cluster.
   *
   * @param idealSeconds what the slowest network card needs at least for 2 (n - 1) / n gradients
   * @param seconds of communication that were measured
   */
  public record Point(int peers, double idealSeconds, double seconds) {}

  /** Fits the points, of at least two bandwidths and two numbers of peers. */
  public static RoundFit of(List<Point> points) {
    if (points.stream().mapToInt(Point::peers).distinct().count() < 2) {
      throw new BadInput(
          "All measured rounds have the same number of peers.",
          "Maybe measure two and four of them.");
    }
    List<CurvePoint> observations =
        points.stream()
            .map(
                point ->
                    new CurvePoint(
                        new double[] {point.peers, point.idealSeconds, point.seconds}, 1))
            .toList();
    Curve relative = (p, x) -> (p[0] + p[1] * (x[0] - 1) + p[2] * x[1]) / x[2];
    double shortest = points.stream().mapToDouble(Point::seconds).min().orElseThrow();
    FittedCurve fitted =
        new Regression(
                relative,
                List.of("stepSeconds", "peerSeconds", "wire"),
                List.of("peers", "ideal seconds", "seconds"),
                observations,
                new double[3])
            .from(new double[] {shortest / 4, shortest / 20, 1}, new boolean[3]);
    double[] found = fitted.values();
    return new RoundFit(found[0], found[1], found[2], fitted);
  }
}
