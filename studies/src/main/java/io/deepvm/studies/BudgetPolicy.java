package io.deepvm.studies;

import io.deepvm.base.Money;
import io.deepvm.planner.Plan;
import org.jspecify.annotations.Nullable;

/** A rule that chooses a cluster for an hourly budget. */
public interface BudgetPolicy {

  /** What tables and charts call it. */
  String name();

  /** Returns the cluster to rent, or null when the budget buys none. */
  @Nullable Plan choose(Money budgetPerHour);
}
