package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobSpeed;
import java.util.List;

/** The architectures with anchors: workers in one place, by FLOPS and a scaling curve. */
final class AnchoredFamily implements ArchitectureFamily {

  @Override
  public List<String> architectures() {
    return Architecture.ALL.stream().map(Architecture::name).toList();
  }

  @Override
  public boolean knows(Job job) {
    return true;
  }

  @Override
  public Planning plan(Catalog catalog, Job job, Goal goal) {
    if (!goal.own().isEmpty()) {
      throw new BadInput(
          "Clusters with anchors stand in one place of a cloud and cannot use own machines.",
          "Maybe ask for --architecture averaging.");
    }
    return new Planner(catalog, job).plan(goal);
  }

  @Override
  public ClusterForecast predict(Job job, GivenCluster cluster) {
    return new AnchoredForecast(job, cluster, speeds(job, List.of(cluster))).forecast();
  }

  @Override
  public List<List<ClusterForecast.Finding>> figures(Job job, List<GivenCluster> clusters) {
    JobSpeed speeds = speeds(job, clusters);
    return clusters.stream()
        .map(cluster -> new AnchoredForecast(job, cluster, speeds).figures())
        .toList();
  }

  private static JobSpeed speeds(Job job, List<GivenCluster> clusters) {
    return JobSpeed.of(
        job,
        clusters.stream()
            .flatMap(cluster -> cluster.nodes().stream())
            .map(group -> group.offer().machine())
            .distinct()
            .toList());
  }
}
