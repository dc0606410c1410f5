package io.deepvm.studies.deepvm;

import io.deepvm.base.Money;
import io.deepvm.planner.Plan;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.workload.Job;
import org.jspecify.annotations.Nullable;

/**
 * The paper's baseline that buys the most nodes. The first type that reaches the most wins, so with
 * a quota it is neither cheap nor fast.
 */
record PublishedCostFirst(ArtifactMarket market, Job job) implements BudgetPolicy {

  @Override
  public String name() {
    return "cost-first";
  }

  @Override
  public @Nullable Plan choose(Money budgetPerHour) {
    ArtifactWorker chosen = null;
    int most = 1;
    for (ArtifactWorker worker : market.workers()) {
      int nodes = worker.familyG() ? worker.nodesThatFill(budgetPerHour.dollars()) : 0;
      if (nodes > most) {
        chosen = worker;
        most = nodes;
      }
    }
    return chosen == null ? null : PaperCandidate.singleAnchor(chosen, most).plan(job);
  }
}
