package io.deepvm.planner;

import io.deepvm.catalog.Catalog;
import io.deepvm.workload.Job;
import java.util.List;
import java.util.Map;

/** The four stages: goal, offers by FLOPP, the optimum per architecture, the final choice. */
public final class Planner {

  private final Catalog catalog;
  private final Job job;

  public Planner(Catalog catalog, Job job) {
    this.catalog = catalog;
    this.job = job;
  }

  /** Returns the best plans for the goal, or the reason why there is none. */
  public Planning plan(Goal goal) {
    return new Planning(
        goal,
        List.of(),
        Map.of(),
        List.of(),
        List.of(),
        List.of(),
        new Planning.Infeasible(catalog.name() + job.name(), List.of(), null));
  }
}
