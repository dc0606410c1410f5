package io.deepvm.cli.print;

import io.deepvm.catalog.Offer;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.simulator.forecast.RunForecast;
import java.io.PrintWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The plans as CSV, one row per group of nodes. */
public final class PlanCsv {

  private PlanCsv() {}

  /** Prints the header, and the rows of the plans there are. */
  public static void print(PrintWriter out, Planning planning, Map<Plan, ExpectedRun> expected) {
    Csv csv =
        new Csv(out)
            .row(
                "rank",
                "architecture",
                "role",
                "cloud",
                "region",
                "zone",
                "instance_type",
                "market",
                "count",
                "usd_per_hour_each",
                "plan_usd_per_hour",
                "objective",
                "score",
                "speedup",
                "seconds",
                "usd",
                "samples_per_second",
                "granularity",
                "traffic_usd_per_hour",
                "expected_seconds",
                "expected_seconds_low",
                "expected_seconds_high",
                "expected_usd",
                "done_share");
    int rank = 0;
    for (Plan plan : planning.plans()) {
      rank++;
      ExpectedRun run = expected.get(plan);
      RunForecast forecast = run == null ? null : run.forecast();
      for (NodeGroup group : plan.nodes()) {
        Offer offer = group.offer();
        csv.row(
            rank,
            plan.architecture(),
            group.role(),
            offer.place().cloud(),
            offer.place().region(),
            offer.place().zone(),
            offer.machine().name(),
            Clusters.market(offer),
            group.count(),
            Json.dollars(offer.pricePerHour()),
            Json.dollars(plan.pricePerHour()),
            plan.objective(),
            plan.score(),
            plan.predicted().speedup(),
            plan.predicted().seconds(),
            Json.dollars(plan.predicted().cost()),
            plan.predicted().samplesPerSecond(),
            plan.predicted().granularity(),
            Json.dollars(plan.predicted().trafficPerHour()),
            finite(forecast == null ? null : forecast.seconds().mean()),
            finite(forecast == null ? null : forecast.seconds().low()),
            finite(forecast == null ? null : forecast.seconds().high()),
            finite(forecast == null ? null : forecast.usd().mean()),
            forecast == null ? null : forecast.doneShare());
      }
    }
  }

  private static @Nullable Double finite(@Nullable Double value) {
    return value == null || Double.isInfinite(value) ? null : value;
  }
}
