package io.deepvm.planner;

import io.deepvm.catalog.Catalog;
import io.deepvm.planner.averaging.AveragingFamily;
import io.deepvm.planner.parameterserver.ParameterServerFamily;
import io.deepvm.workload.Job;
import java.util.List;

/** One performance model, and the architectures that are planned and predicted by it. */
public interface ArchitectureFamily {

  /** Every family; where plans of several cannot be ranked together, the first one's are kept. */
  List<ArchitectureFamily> ALL =
      List.of(new AnchoredFamily(), new AveragingFamily(), new ParameterServerFamily());

  /** The names users choose its architectures by. */
  List<String> architectures();

  /** Whether the job states what the model needs, so that it is offered without being asked for. */
  boolean knows(Job job);

  /** Returns its best plans; what the job lacks or the goal asks in vain is bad input. */
  Planning plan(Catalog catalog, Job job, Goal goal);

  /** Returns what a given cluster will do. */
  ClusterForecast predict(Job job, GivenCluster cluster);

  /** Returns the figures alone of several clusters; advice on them takes longer. */
  List<List<ClusterForecast.Finding>> figures(Job job, List<GivenCluster> clusters);
}
