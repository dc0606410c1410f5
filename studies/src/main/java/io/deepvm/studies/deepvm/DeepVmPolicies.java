package io.deepvm.studies.deepvm;

import io.deepvm.base.DataSize;
import io.deepvm.catalog.Catalog;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Planner;
import io.deepvm.studies.BudgetPolicy;
import io.deepvm.studies.Ours;
import io.deepvm.workload.Job;
import java.util.List;

/** The policies that the paper compares, and ours beside them. */
public final class DeepVmPolicies {

  private DeepVmPolicies() {}

  /**
   * Returns the paper's four policies as the artifact computes them, where a bandwidth that its
   * table lacks is interpolated so that they can be asked about any catalog.
   *
   * @param slots how many checkpoints a remote keeps, each whole
   */
  public static List<BudgetPolicy> published(
      Catalog catalog, Job job, DataSize checkpoint, double slots) {
    ArtifactMarket market = ArtifactMarket.of(catalog, job, ArtifactScript.reading(catalog));
    double neededGb = checkpoint.gb() * slots;
    return List.of(
        new PublishedCostFirst(market, job),
        new PublishedPerformanceFirst(market, job),
        new NoScale(market, neededGb, job),
        new ArtifactDeepVm(market, neededGb, job));
  }

  /** Returns our planner with the paper's objective and with throughput, by the paper's rules. */
  public static List<BudgetPolicy> ours(
      Catalog catalog, Job job, DataSize checkpoint, double slots) {
    Planner planner = new Planner(catalog, job);
    return List.of(
        ours("ours (flopp)", planner, Objective.FLOPP, checkpoint, slots),
        ours("ours (throughput)", planner, Objective.THROUGHPUT, checkpoint, slots));
  }

  private static BudgetPolicy ours(
      String name, Planner planner, Objective objective, DataSize checkpoint, double slots) {
    return new Ours(
        name, planner, budget -> PaperMethod.goal(budget, objective, checkpoint, slots));
  }
}
