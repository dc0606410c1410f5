package io.deepvm.studies.deepvm;

import io.deepvm.base.Money;
import io.deepvm.planner.Plan;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.workload.Job;
import org.jspecify.annotations.Nullable;

/**
 * "DeepVM No Scale" as the artifact computes it: Z with K = 1, as if every node counted in full.
 */
record NoScale(ArtifactMarket market, double neededGb, Job job) implements BudgetPolicy {

  @Override
  public String name() {
    return "no-scale";
  }

  @Override
  public @Nullable Plan choose(Money budgetPerHour) {
    PaperCandidate best =
        new ArtifactSearch(market, neededGb, false).single(budgetPerHour.dollars());
    return best == null ? null : best.plan(job);
  }
}
