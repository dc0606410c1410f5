package io.deepvm.studies;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.planner.Plan;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What each policy chooses at each of a range of budgets: the paper's Figure 7 on any catalog. */
public record BudgetSweep(List<Row> rows) {

  private static final long MOST_BUDGETS = 100_000;

  public BudgetSweep {
    rows = List.copyOf(rows);
  }

  /** One policy at one budget; the choice is null where the budget buys nothing. */
  public record Row(Money budgetPerHour, String policy, @Nullable Choice choice) {}

  /** A cluster and how fast it is. */
  public record Choice(Plan plan, Performance performance) {}

  /** Asks every policy at every budget from the first to the last, budgets outermost. */
  public static BudgetSweep over(
      Money from, Money to, Money step, List<? extends BudgetPolicy> policies, Job job) {
    List<Row> rows = new ArrayList<>();
    for (Money budget : budgets(from, to, step)) {
      for (BudgetPolicy policy : policies) {
        Plan plan = policy.choose(budget);
        Choice choice = plan == null ? null : new Choice(plan, Performance.of(plan, job));
        rows.add(new Row(budget, policy.name(), choice));
      }
    }
    return new BudgetSweep(rows);
  }

  private static List<Money> budgets(Money from, Money to, Money step) {
    if (from.micros() < 0 || to.compareTo(from) < 0) {
      throw new BadInput(
          "The budgets from %s to %s are not a range above $0.".formatted(from, to),
          "Maybe the two are swapped.");
    }
    if (!step.isPositive() || to.minus(from).buys(step) >= MOST_BUDGETS) {
      throw new BadInput(
          "A step of %s from %s to %s does not give 1 to %d budgets."
              .formatted(step, from, to, MOST_BUDGETS),
          "Maybe choose a larger step.");
    }
    List<Money> budgets = new ArrayList<>();
    for (Money budget = from; budget.compareTo(to) <= 0; budget = budget.plus(step)) {
      budgets.add(budget);
    }
    return budgets;
  }
}
