package io.deepvm.studies.skynomad;

import io.deepvm.simulator.gang.GangBound;
import io.deepvm.simulator.gang.GangJob;
import io.deepvm.simulator.gang.GangMarket;
import io.deepvm.simulator.gang.GangPolicies;
import io.deepvm.simulator.gang.GangSimulation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Runs published points as the original does, as we do, and with perfect foresight. */
final class Evaluation {

  /**
   * One point lived through.
   *
   * @param reproduced what the original's rules give
   * @param corrected the whole cost without the original's mistakes; null where it is infeasible
   * @param bound what no policy can pay less than; null where it is infeasible
   */
  record Result(
      Point point, double reproduced, @Nullable Double corrected, @Nullable Double bound) {}

  private record Zones(String data, List<String> names) {}

  private record Question(Zones zones, ArtifactCase given) {}

  private final Traces traces;
  private final Map<Zones, GangMarket> markets = new ConcurrentHashMap<>();
  private final Map<Question, Double> bounds = new ConcurrentHashMap<>();

  Evaluation(Traces traces) {
    this.traces = traces;
  }

  /** Returns the results in the order of the points. */
  List<Result> of(List<Point> points) {
    // The traces are read one after another; only the runs are independent.
    points.forEach(point -> market(point.data(), point.zones()));
    return points.parallelStream().map(this::result).toList();
  }

  GangMarket market(String data, List<String> zones) {
    return markets.computeIfAbsent(
        new Zones(data, zones), key -> traces.market(key.data(), key.names()));
  }

  private Result result(Point point) {
    GangMarket trace = market(point.data(), point.zones());
    double reproduced =
        ArtifactSimulator.run(point.policy(), trace, point.given()).publishedDollars();
    if (point.given().infeasible()) {
      return new Result(point, reproduced, null, null);
    }
    GangJob job = point.given().job();
    GangMarket market = trace.window(point.given().startTick(), job.ticks(trace.tickSeconds()));
    double bound =
        bounds.computeIfAbsent(
            new Question(new Zones(point.data(), point.zones()), point.given()),
            key -> GangBound.of(market, job).dollars());
    double corrected =
        point.policy().equals(ArtifactSimulator.OPTIMAL)
            ? bound
            : GangSimulation.run(market, job, GangPolicies.named(point.policy()).make(market))
                .dollars();
    return new Result(point, reproduced, corrected, bound);
  }
}
