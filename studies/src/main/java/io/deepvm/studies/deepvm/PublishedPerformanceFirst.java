package io.deepvm.studies.deepvm;

import io.deepvm.base.Money;
import io.deepvm.planner.Plan;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.workload.Job;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The paper's baseline: most nodes of the fastest type that the budget buys two of. */
record PublishedPerformanceFirst(ArtifactMarket market, Job job) implements BudgetPolicy {

  @Override
  public String name() {
    return "performance-first";
  }

  @Override
  public @Nullable Plan choose(Money budgetPerHour) {
    double budget = budgetPerHour.dollars();
    return market.workers().stream()
        .filter(ArtifactWorker::familyG)
        .sorted(Comparator.comparingDouble(ArtifactWorker::flops).reversed())
        .filter(worker -> budget >= worker.onDemand() + worker.spot())
        .filter(worker -> worker.nodesThatFill(budget) > 1)
        .findFirst()
        .map(worker -> PaperCandidate.singleAnchor(worker, worker.nodesThatFill(budget)).plan(job))
        .orElse(null);
  }
}
