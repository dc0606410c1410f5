package io.deepvm.cli.print;

import io.deepvm.catalog.Catalog;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Role;
import io.deepvm.planner.parameterserver.ParameterServerFamily;
import io.deepvm.units.Durations;
import io.deepvm.units.Money;
import io.deepvm.units.Numbers;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The choice for people: the best plan in a sentence, all of them in a table, and why. */
public final class PlanTable {

  private final PrintWriter out;
  private final Paint paint;

  public PlanTable(PrintWriter out, Paint paint) {
    this.out = out;
    this.paint = paint;
  }

  /** Prints a planning that found something. */
  public void print(Planning planning, Catalog catalog) {
    Plan best = planning.plans().get(0);
    out.println(paint.strong(Clusters.nodes(best) + ", " + Clusters.promise(best) + "."));
    out.println(paint.faint(prices(catalog)));
    out.println();
    plans(planning.plans(), "");
    if (!best.why().isEmpty()) {
      out.println();
      out.println("Why the first:");
      best.why().forEach(reason -> out.println("- " + reason));
    }
  }

  /** Prints plans one a line, in their order. */
  void plans(List<Plan> plans, String indent) {
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
      columns.addAll(List.of("TIME>", "COST>"));
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
