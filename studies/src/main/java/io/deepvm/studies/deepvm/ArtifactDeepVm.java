package io.deepvm.studies.deepvm;

import io.deepvm.base.Money;
import io.deepvm.planner.Plan;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.workload.Job;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** "DeepVM" as the artifact computes it, whose two programs settle ties differently. */
record ArtifactDeepVm(ArtifactMarket market, double neededGb, Job job) implements BudgetPolicy {

  @Override
  public String name() {
    return "DeepVM";
  }

  @Override
  public @Nullable Plan choose(Money budgetPerHour) {
    List<PaperCandidate> best = ranked(budgetPerHour);
    return best.isEmpty() ? null : best.get(0).plan(job);
  }

  /** Returns what the program answers: three clusters from run.py, one from simulation.py. */
  List<PaperCandidate> ranked(Money budgetPerHour) {
    double budget = budgetPerHour.dollars();
    if (market.script() == ArtifactScript.RUN) {
      return search().topThree(budget);
    }
    PaperCandidate single = search().single(budget);
    return single == null ? List.of() : List.of(single);
  }

  ArtifactSearch search() {
    return new ArtifactSearch(market, neededGb, true);
  }
}
