package io.deepvm.studies;

import io.deepvm.base.Money;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planner;
import io.deepvm.planner.Planning;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * This project's planner as one policy among others.
 *
 * @param goal what to ask of the planner at a budget; one worker type, so that the clusters compare
 */
public record Ours(String name, Planner planner, Function<Money, Goal> goal)
    implements BudgetPolicy {

  @Override
  public @Nullable Plan choose(Money budgetPerHour) {
    if (!budgetPerHour.isPositive()) {
      return null;
    }
    Planning planning = planner.plan(goal.apply(budgetPerHour));
    return planning.plans().isEmpty() ? null : planning.plans().get(0);
  }
}
