package io.deepvm.cli.print;

import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.planner.Plan;
import io.deepvm.studies.BudgetSweep;
import io.deepvm.studies.BudgetSweep.Choice;
import io.deepvm.studies.BudgetSweep.Row;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each policy gets for each budget. */
public record SweepReport(BudgetSweep sweep, String catalog, PrintWriter out) {

  /** Prints one figure by budget and policy, and which policy does best how often. */
  public void table(Metric metric, Paint paint) {
    List<String> policies = sweep.rows().stream().map(Row::policy).distinct().toList();
    List<String> header = new ArrayList<>(List.of("BUDGET/H>"));
    policies.forEach(p -> header.add(p.toUpperCase(Locale.ROOT) + ">"));
    Table table = new Table(header.toArray(String[]::new));
    Map<Money, List<Row>> budgets = byBudget();
    budgets.forEach(
        (budget, rows) -> {
          List<String> cells = new ArrayList<>(List.of(budget.toString()));
          rows.forEach(row -> cells.add(figure(row, metric)));
          table.row(cells.toArray(String[]::new));
        });
    out.println(paint.strong("%s by budget, catalog '%s'".formatted(metric.title(), catalog)));
    out.println();
    table.print(out, paint, "");
    out.println();
    summary(policies, budgets, metric).print(out, paint, "");
  }

  private static Table summary(
      List<String> policies, Map<Money, List<Row>> budgets, Metric metric) {
    Table table = new Table("POLICY", "FINDS A CLUSTER>", "IS BEST>", "MEAN SHARE OF THE BEST>");
    for (int i = 0; i < policies.size(); i++) {
      int found = 0;
      int best = 0;
      double shares = 0;
      int answered = 0;
      for (List<Row> rows : budgets.values()) {
        double most = 0;
        for (Row row : rows) {
          most = Math.max(most, value(row, metric));
        }
        double own = value(rows.get(i), metric);
        found += rows.get(i).choice() == null ? 0 : 1;
        if (most > 0) {
          answered++;
          shares += own / most;
          // a tie settled by the order of a product is still a tie
          best += own >= most * (1 - 1e-12) ? 1 : 0;
        }
      }
      table.row(
          policies.get(i),
          "%d of %d".formatted(found, budgets.size()),
          "%d of %d".formatted(best, answered),
          answered == 0 ? "-" : Numbers.print(100 * shares / answered) + " %");
    }
    return table;
  }

  /** Prints all rows and all three figures as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/comparison/v1");
          json.put("catalog", catalog);
          json.array(
              "rows",
              list -> {
                for (Row row : sweep.rows()) {
                  list.object(
                      o -> {
                        Choice choice = row.choice();
                        Plan plan = choice == null ? null : choice.plan();
                        o.put("budgetUsdPerHour", row.budgetPerHour());
                        o.put("policy", row.policy());
                        o.put("architecture", plan == null ? null : plan.architecture());
                        o.put("cluster", plan == null ? null : Clusters.nodes(plan));
                        o.put("usdPerHour", plan == null ? null : plan.pricePerHour());
                        for (Metric metric : Metric.values()) {
                          o.put(metric.toString(), of(row, metric));
                        }
                      });
                }
              });
        });
  }

  /** Prints all rows and all three figures as CSV. */
  public void csv() {
    Csv csv =
        new Csv(out)
            .row(
                "budget_usd_per_hour",
                "policy",
                "architecture",
                "cluster",
                "usd_per_hour",
                "speedup",
                "nk",
                "n2k");
    for (Row row : sweep.rows()) {
      Choice choice = row.choice();
      Plan plan = choice == null ? null : choice.plan();
      csv.row(
          Json.dollars(row.budgetPerHour()),
          row.policy(),
          plan == null ? null : plan.architecture(),
          plan == null ? null : Clusters.nodes(plan),
          plan == null ? null : Json.dollars(plan.pricePerHour()),
          of(row, Metric.SPEEDUP),
          of(row, Metric.NK),
          of(row, Metric.N2K));
    }
  }

  private Map<Money, List<Row>> byBudget() {
    Map<Money, List<Row>> budgets = new LinkedHashMap<>();
    for (Row row : sweep.rows()) {
      budgets.computeIfAbsent(row.budgetPerHour(), b -> new ArrayList<>()).add(row);
    }
    return budgets;
  }

  private static String figure(Row row, Metric metric) {
    Choice choice = row.choice();
    return choice == null
        ? "-"
        : Figures.flops(metric.of(choice.performance()), Figures.isStated(choice.plan()));
  }

  private static double value(Row row, Metric metric) {
    Double value = of(row, metric);
    return value == null ? 0 : value;
  }

  private static @Nullable Double of(Row row, Metric metric) {
    Choice choice = row.choice();
    return choice == null ? null : metric.of(choice.performance());
  }
}
