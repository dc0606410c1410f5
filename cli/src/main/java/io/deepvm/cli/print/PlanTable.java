package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Role;
import io.deepvm.planner.parameterserver.ParameterServerFamily;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The choice for people: the best plan in a sentence, all of them in a table, and why. */
public final class PlanTable {

  private final PrintWriter out;
  private final Paint paint;

  public PlanTable(PrintWriter out, Paint paint) {
    this.out = out;
    this.paint = paint;
  }

  /**
   * Prints a planning that found something.
   *
   * @param expected what plans take and cost with interruptions, where it is known
   */
  public void print(Planning planning, Catalog catalog, Map<Plan, ExpectedRun> expected) {
    Plan best = planning.plans().get(0);
    ExpectedRun run = expected.get(best);
    String promise = run == null ? Clusters.promise(best) : Clusters.rate(best);
    out.println(paint.strong(Clusters.nodes(best) + ", " + promise + "."));
    List<String> reasons = new ArrayList<>(best.why());
    if (run != null) {
      Duration deadline = planning.goal().deadline();
      out.println(paint.strong(run.sentence(best)));
      reasons.addAll(run.reasons(best, deadline == null ? null : deadline.toMillis() / 1e3));
    }
    out.println(paint.faint(prices(catalog)));
    out.println();
    plans(planning.plans(), "", expected);
    if (!reasons.isEmpty()) {
      out.println();
      out.println("Why the first:");
      reasons.forEach(reason -> out.println("- " + reason));
    }
    markets(planning.plans());
  }

  /** Prints what spot saves, and at which risk, for each plan but the first. */
  private void markets(List<Plan> plans) {
    List<String> lines = new ArrayList<>();
    for (int i = 1; i < plans.size(); i++) {
      for (String reason : plans.get(i).why()) {
        if (reason.startsWith(SpotSaving.LABEL)) {
          lines.add("- %d: %s".formatted(i + 1, reason.substring(SpotSaving.LABEL.length())));
        }
      }
    }
    if (!lines.isEmpty()) {
      out.println();
      out.println("Market of the others:");
      lines.forEach(out::println);
    }
  }

  /** Prints plans one a line, in their order. */
  void plans(List<Plan> plans, String indent, Map<Plan, ExpectedRun> expected) {
    boolean sampled = plans.stream().anyMatch(p -> p.predicted().samplesPerSecond() != null);
    boolean timed = plans.stream().anyMatch(p -> p.predicted().seconds() != null);
    // The score of a throughput is the speed, and of a time or a cost it stands under their names.
    boolean served =
        plans.stream().anyMatch(p -> p.architecture().equals(ParameterServerFamily.NAME));
    boolean scored = plans.stream().anyMatch(p -> p.objective() == Objective.FLOPP);
    List<String> columns =
        new ArrayList<>(
            List.of(
                "#>",
                "ARCHITECTURE",
                "WORKERS",
                served ? "SERVERS" : "ANCHORS",
                "PLACE",
                "PRICE/H>",
                "SPEED-UP>"));
    if (!served) {
      columns.add("SPEED>");
    }
    if (sampled) {
      columns.add("SAMPLES/S>");
    }
    if (scored) {
      columns.add("SCORE>");
    }
    if (timed) {
      columns.addAll(
          expected.isEmpty()
              ? List.of("TIME>", "COST>")
              : List.of("PAPER TIME>", "PAPER COST>", "TIME>", "COST>"));
    }
    Table table = new Table(columns.toArray(String[]::new));
    int rank = 0;
    for (Plan plan : plans) {
      rank++;
      List<String> cells =
          new ArrayList<>(
              List.of(
                  String.valueOf(rank),
                  plan.architecture(),
                  Clusters.groups(plan, Role.WORKER),
                  Clusters.besideWorkers(plan),
                  Clusters.placeNames(plan),
                  plan.pricePerHour().toString(),
                  Numbers.print(plan.predicted().speedup())));
      if (!served) {
        cells.add(Figures.flops(plan));
      }
      if (sampled) {
        cells.add(Figures.samples(plan.predicted().samplesPerSecond()));
      }
      if (scored) {
        cells.add(Figures.score(plan));
      }
      if (timed) {
        Double seconds = plan.predicted().seconds();
        Money cost = plan.predicted().cost();
        cells.add(seconds == null ? "-" : Durations.print(Durations.ofSeconds(seconds)));
        cells.add(cost == null ? "-" : Figures.dollars(cost.dollars()));
        if (!expected.isEmpty()) {
          ExpectedRun run = expected.get(plan);
          cells.add(run == null ? "-" : run.time());
          cells.add(run == null ? "-" : run.cost());
        }
      }
      table.row(cells.toArray(String[]::new));
    }
    table.print(out, paint, indent);
  }

  /** Returns the line that says how old the prices are. */
  static String prices(Catalog catalog) {
    return "Prices: catalog '%s', %s (%s)."
        .formatted(
            catalog.name(),
            catalog.asOf() == null ? "of an unstated day" : "as of " + catalog.asOf(),
            catalog.source());
  }
}
