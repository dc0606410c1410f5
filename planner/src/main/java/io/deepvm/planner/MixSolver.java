package io.deepvm.planner;

import com.google.ortools.Loader;
import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CpSolverStatus;
import com.google.ortools.sat.IntVar;
import com.google.ortools.sat.LinearExpr;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Solves mix problems with OR-Tools' CP-SAT, in integers throughout: money is exact, and real
 * values are scaled to nine digits.
 */
final class MixSolver {

  /**
   * A choice and what is known of its quality.
   *
   * @param counts nodes of each type
   * @param optimal whether no choice has a greater value
   * @param bound the greatest value that any choice may have
   */
  record Choice(int[] counts, boolean optimal, double bound) {}

  private static final double DIGITS = 1e9;

  /** CP-SAT's own unit of work, about a second; the same on every machine, unlike a time limit. */
  private static final double EFFORT = 20;

  MixSolver() {
    Loader.loadNativeLibraries();
  }

  /** Returns the best choice found, or null when there is none. */
  @Nullable Choice solve(MixProblem problem) {
    CpModel model = new CpModel();
    IntVar[] counts = new IntVar[problem.values().length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = model.newIntVar(0, Math.min(problem.limits()[i], problem.open()), "n" + i);
    }
    model.addEquality(LinearExpr.sum(counts), problem.open());
    model.addLessOrEqual(LinearExpr.weightedSum(counts, problem.prices()), problem.budget());
    for (MixProblem.Pool pool : problem.pools()) {
      // vCPUs and GPUs come in fractions of a thousandth at the finest
      long[] draws = Arrays.stream(pool.draws()).mapToLong(d -> Math.round(d * 1000)).toArray();
      model.addLessOrEqual(LinearExpr.weightedSum(counts, draws), Math.round(pool.limit() * 1000));
    }
    for (MixProblem.Floor floor : problem.floors()) {
      double scale = DIGITS / largest(floor.values());
      long[] values = Arrays.stream(floor.values()).mapToLong(v -> Math.round(v * scale)).toArray();
      // As much lower as rounding may have lost, so that what meets a floor exactly is not missed;
      // the caller checks each choice again.
      double least = Math.floor(floor.least() * scale) - problem.open();
      long bounded = (long) Math.max(-1e15, Math.min(1e15, least));
      model.addGreaterOrEqual(LinearExpr.weightedSum(counts, values), bounded);
    }
    double scale = DIGITS / largest(problem.values());
    long[] values = Arrays.stream(problem.values()).mapToLong(v -> Math.round(v * scale)).toArray();
    model.maximize(LinearExpr.weightedSum(counts, values));

    CpSolver solver = new CpSolver();
    solver.getParameters().setNumWorkers(1).setRandomSeed(0).setMaxDeterministicTime(EFFORT);
    CpSolverStatus status = solver.solve(model);
    if (status == CpSolverStatus.OPTIMAL || status == CpSolverStatus.FEASIBLE) {
      int[] chosen = Arrays.stream(counts).mapToInt(n -> (int) solver.value(n)).toArray();
      return new Choice(
          chosen, status == CpSolverStatus.OPTIMAL, solver.bestObjectiveBound() / scale);
    }
    return null;
  }

  private static double largest(double[] values) {
    return Math.max(Double.MIN_NORMAL, Arrays.stream(values).map(Math::abs).max().orElse(1));
  }
}
