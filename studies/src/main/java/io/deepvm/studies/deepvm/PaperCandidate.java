package io.deepvm.studies.deepvm;

import io.deepvm.base.Money;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Objective;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Prediction;
import io.deepvm.planner.Role;
import io.deepvm.workload.Job;
import io.deepvm.workload.ScalingCurve;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster the artifact weighs.
 *
 * @param n nodes that train; with a single anchor it is one of them
 * @param remote null with a single anchor
 */
record PaperCandidate(
    double z, ArtifactWorker worker, int n, @Nullable ArtifactRemote remote, int m) {

  static PaperCandidate singleAnchor(double z, ArtifactWorker worker, int n) {
    return new PaperCandidate(z, worker, n, null, 0);
  }

  static PaperCandidate singleAnchor(ArtifactWorker worker, int n) {
    return singleAnchor(worker.singleAnchorZ(n, true), worker, n);
  }

  List<NodeGroup> nodes() {
    return remote == null
        ? List.of(
            new NodeGroup(Role.WORKER, worker.spotOffer(), n - 1),
            new NodeGroup(Role.ANCHOR, worker.onDemandOffer(), 1))
        : List.of(
            new NodeGroup(Role.WORKER, worker.spotOffer(), n),
            new NodeGroup(Role.ANCHOR, remote.offer(), m));
  }

  Money pricePerHour() {
    return nodes().stream().map(NodeGroup::pricePerHour).reduce(Money.ZERO, Money::plus);
  }

  /** Returns the plan without a reason, for tables of many. */
  Plan plan(Job job) {
    return plan(job, List.of());
  }

  Plan plan(Job job, List<String> why) {
    ScalingCurve curve = job.scaling().of(worker.spotOffer().machine());
    double speedup = curve.speedup(n);
    return new Plan(
        remote == null ? "single-anchor" : "tiering",
        nodes(),
        pricePerHour(),
        Objective.FLOPP,
        z,
        0,
        new Prediction(speedup, worker.flops() * speedup, null, null),
        why);
  }
}
