package io.deepvm.workload.fit;

import io.deepvm.base.BadInput;
import io.deepvm.workload.parameterserver.LossCurve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.RealMatrix;
import org.hipparchus.linear.RealVector;
import org.hipparchus.linear.SingularValueDecomposition;
import org.jspecify.annotations.Nullable;

/**
 * A loss curve from training logs. With gamma1 (and gamma4) given, the curve is linear in the rest,
 * so those are searched for and the rest solved, before all are refined together.
 *
 * @param fit parameters in the order gamma1, gamma2, gamma3, floor, and gamma4 if fitted; inputs in
 *     the order iterations, batch, convergence, workers
 */
public record LossFit(LossCurve curve, FittedCurve fit) {

  private static final List<String> NAMES =
      List.of("gamma1", "gamma2", "gamma3", "floor", "gamma4");
  private static final List<String> INPUTS =
      List.of("iterations", "batch", "convergence", "workers");

  private static final int GRID = 60;
  private static final int SHRINKS = 40;

  /** A point of a training log: normalised iterations on a cluster, and the loss after them. */
  public record Point(
      double iterations, double batch, double convergence, int workers, double loss) {}

  /** Fits the curve without convergence coefficient. */
  public static LossFit withoutCoefficient(List<Point> points) {
    return fit(points, false);
  }

  /** Fits the whole of equation 3. */
  public static LossFit withCoefficient(List<Point> points) {
    return fit(points, true);
  }

  private static LossFit fit(List<Point> points, boolean coefficient) {
    List<String> warnings = new ArrayList<>();
    boolean oneBatch = distinct(points.stream().map(Point::batch).toList()) < 2;
    if (oneBatch) {
      warnings.add(
          "All clusters have the same batch, so that gamma2 and gamma3 cannot be separated: it is taken"
              + " as 0, and other batches are predicted as if they converged alike.");
    }
    if (coefficient) {
      long clusters =
          points.stream()
              .map(p -> List.of(p.batch(), p.convergence(), (double) p.workers()))
              .distinct()
              .count();
      if (clusters < 3) {
        throw new BadInput(
            "%d clusters cannot determine gamma2, gamma3 and gamma4.".formatted(clusters),
            "Maybe measure three or more, or fit without the convergence coefficient.");
      }
      if (clusters == 3) {
        warnings.add(
            "Three clusters are just enough for gamma2, gamma3 and gamma4: nothing checks them.");
      }
    }
    Regression.requireEnough(points.size(), (coefficient ? 5 : 4) - (oneBatch ? 1 : 0));
    double[] start = search(points, coefficient, oneBatch);
    Curve family =
        (p, x) ->
            new Staleness(coefficient ? p[4] : Double.NaN).of(x[2], x[3])
                    * (p[1] * x[1] + p[2])
                    / (x[0] + p[0])
                + p[3];
    double none = Double.NEGATIVE_INFINITY;
    int size = coefficient ? NAMES.size() : NAMES.size() - 1;
    FittedCurve fitted =
        new Regression(
                family,
                NAMES.subList(0, size),
                INPUTS,
                observations(points),
                Arrays.copyOf(new double[] {0, none, none, none, 1e-6}, size))
            .from(
                Arrays.copyOf(start, size),
                Arrays.copyOf(new boolean[] {false, oneBatch, false, false, false}, size))
            .warning(warnings);
    double[] found = fitted.values();
    return new LossFit(
        new LossCurve(
            found[0], found[1], found[2], found[3], coefficient ? Double.valueOf(found[4]) : null),
        fitted);
  }

  private static List<CurvePoint> observations(List<Point> points) {
    return points.stream()
        .map(
            p ->
                new CurvePoint(
                    new double[] {p.iterations(), p.batch(), p.convergence(), p.workers()},
                    p.loss()))
        .toList();
  }

  private record Staleness(double gamma4) {

    double of(double convergence, double workers) {
      return Math.sqrt((Double.isNaN(gamma4) ? 1 : convergence + gamma4) * workers);
    }
  }

  private static double[] search(List<Point> points, boolean coefficient, boolean oneBatch) {
    double longest = points.stream().mapToDouble(Point::iterations).max().orElse(1);
    double least = Double.POSITIVE_INFINITY;
    double reach = Math.max(1, longest);
    double low1 = Math.log(1e-4 * reach);
    double high1 = Math.log(1e3 * reach);
    double low4 = Math.log(1e-3);
    double high4 = Math.log(1e3);
    int grid1 = coefficient ? GRID / 2 : GRID;
    int grid4 = coefficient ? GRID / 4 : 1;
    double at1 = low1;
    double at4 = 0;
    for (int i = 0; i <= grid1; i++) {
      for (int k = 0; k <= grid4; k++) {
        double log1 = low1 + (high1 - low1) * i / grid1;
        double log4 = low4 + (high4 - low4) * k / grid4;
        double squares = linear(points, log1, coefficient ? log4 : Double.NaN, oneBatch, null);
        if (squares < least) {
          least = squares;
          at1 = log1;
          at4 = log4;
        }
      }
    }
    // Shrinking steps around the best point of the grid, along each axis in turn.
    double step1 = (high1 - low1) / grid1;
    double step4 = (high4 - low4) / Math.max(1, grid4);
    for (int shrink = 0; shrink < SHRINKS; shrink++) {
      boolean better = false;
      for (double[] move : new double[][] {{step1, 0}, {-step1, 0}, {0, step4}, {0, -step4}}) {
        if (!coefficient && move[1] != 0) {
          continue;
        }
        double squares =
            linear(points, at1 + move[0], coefficient ? at4 + move[1] : Double.NaN, oneBatch, null);
        if (squares < least) {
          least = squares;
          at1 += move[0];
          at4 += move[1];
          better = true;
        }
      }
      if (!better) {
        step1 /= 2;
        step4 /= 2;
      }
    }
    double[] best = new double[NAMES.size()];
    linear(points, at1, coefficient ? at4 : Double.NaN, oneBatch, best);
    best[0] = Math.exp(at1);
    best[4] = coefficient ? Math.exp(at4) : 0;
    return best;
  }

  /** Solves for gamma2, gamma3 and the floor; returns the sum of squares. */
  private static double linear(
      List<Point> points, double log1, double log4, boolean oneBatch, double @Nullable [] into) {
    Staleness staleness = new Staleness(Math.exp(log4));
    double gamma1 = Math.exp(log1);
    int columns = oneBatch ? 2 : 3;
    RealMatrix design = new Array2DRowRealMatrix(points.size(), columns);
    RealVector losses = new ArrayRealVector(points.size());
    for (int row = 0; row < points.size(); row++) {
      Point p = points.get(row);
      double base = staleness.of(p.convergence(), p.workers()) / (p.iterations() + gamma1);
      // Scaled so that no column dwarfs another.
      design.setEntry(row, 0, base * gamma1);
      design.setEntry(row, 1, 1);
      if (!oneBatch) {
        design.setEntry(row, 2, base * gamma1 * p.batch() / 1024);
      }
      losses.setEntry(row, p.loss());
    }
    RealVector solution = new SingularValueDecomposition(design).getSolver().solve(losses);
    if (into != null) {
      into[1] = oneBatch ? 0 : solution.getEntry(2) * gamma1 / 1024;
      into[2] = solution.getEntry(0) * gamma1;
      into[3] = solution.getEntry(1);
    }
    double off = design.operate(solution).subtract(losses).getNorm();
    return off * off;
  }

  private static int distinct(List<Double> values) {
    TreeSet<Double> sorted = new TreeSet<>(values);
    int distinct = 0;
    double last = Double.NaN;
    for (double value : sorted) {
      if (!(Math.abs(value - last) <= 1e-6 * Math.abs(value))) {
        distinct++;
        last = value;
      }
    }
    return distinct;
  }
}
