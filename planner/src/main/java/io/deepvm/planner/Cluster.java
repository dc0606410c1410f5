package io.deepvm.planner;

import java.util.Comparator;
import java.util.List;

/** A cluster of one worker type that the search has weighed. */
record Cluster(Architecture architecture, Worker worker, int workers, long price, double merit) {

  /** Better first; ties go to the cheaper, then the smaller, then by name. */
  static final Comparator<Cluster> BEST_FIRST =
      Comparator.comparingDouble(Cluster::merit)
          .reversed()
          .thenComparingLong(Cluster::price)
          .thenComparingInt(Cluster::workers)
          .thenComparing(cluster -> cluster.worker().name())
          .thenComparing(cluster -> cluster.architecture().name())
          .thenComparing(cluster -> cluster.worker().listing().place().toString());

  List<NodeGroup> nodes(CheckpointNeeds needs) {
    return architecture.nodes(worker, workers, needs);
  }

  double speed() {
    return worker.speed(workers);
  }
}
