package io.deepvm.workload.fit;

import io.deepvm.base.BadInput;
import io.deepvm.workload.ScalingCurve;
import java.util.ArrayList;
import java.util.List;

/**
 * DeepVM's scaling curve from measured speed-ups: logistic beyond its inflection, the tangent
 * before it.
 *
 * @param fit parameters a, b, c; the input is the number of nodes
 */
public record ScalingFit(ScalingCurve.Logistic curve, FittedCurve fit) {

  private static final int GRID = 60;

  /** The measured speed-up of a number of nodes. */
  public record Point(int nodes, double speedup) {}

  /** Fits at least three points. */
  public static ScalingFit of(List<Point> points) {
    long sizes = points.stream().map(Point::nodes).distinct().count();
    if (sizes < 3) {
      throw new BadInput(
          "%d numbers of nodes cannot determine a scaling curve.".formatted(sizes),
          "Maybe measure at three or more.");
    }
    for (Point point : points) {
      if (point.nodes() < 1 || !(point.speedup() > 0)) {
        throw new BadInput(
            "%d nodes cannot be %s times as fast as one.".formatted(point.nodes(), point.speedup()),
            "Maybe the columns are swapped: nodes, then speed-up, both above 0.");
      }
    }
    List<CurvePoint> observations =
        points.stream().map(p -> new CurvePoint(new double[] {p.nodes()}, p.speedup())).toList();
    double none = Double.NEGATIVE_INFINITY;
    FittedCurve fitted =
        new Regression(
                (p, x) -> p[2] * shape(p[0], p[1], x[0]),
                List.of("a", "b", "c"),
                List.of("nodes"),
                observations,
                new double[] {1e-9, none, 1e-9})
            .from(start(points), new boolean[3]);
    double[] found = fitted.values();
    List<String> warnings = new ArrayList<>();
    double largest = fitted.ranges().get(0).high();
    if (largest <= found[1]) {
      warnings.add(
          "No measurement lies beyond the inflection, so that nothing is known of saturation.");
    }
    return new ScalingFit(
        new ScalingCurve.Logistic(found[0], found[1], found[2]), fitted.warning(warnings));
  }

  /** The curve for c = 1. */
  private static double shape(double a, double b, double nodes) {
    double x = a * (nodes - b);
    return x <= 0 ? x / 4 + 0.5 : 1 / (1 + Math.exp(-x));
  }

  /** The best of a grid of a and b, c being solved for. */
  private static double[] start(List<Point> points) {
    double largest = points.stream().mapToInt(Point::nodes).max().orElse(1);
    double[] best = {1 / largest, largest / 2, largest};
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i <= GRID; i++) {
      double a = Math.pow(10, -3 + 4.0 * i / GRID) * 4 / largest;
      for (int k = 0; k <= GRID; k++) {
        double b = largest * (-0.5 + 2.0 * k / GRID);
        double cross = 0;
        double squares = 0;
        for (Point point : points) {
          double shape = shape(a, b, point.nodes());
          cross += shape * point.speedup();
          squares += shape * shape;
        }
        double c = cross / squares;
        double off = 0;
        for (Point point : points) {
          double each = point.speedup() - c * shape(a, b, point.nodes());
          off += each * each;
        }
        if (c > 0 && off < least) {
          least = off;
          best = new double[] {a, b, c};
        }
      }
    }
    return best;
  }
}
