package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.ClusterForecast.Elasticity;
import io.deepvm.planner.ClusterForecast.Finding;
import io.deepvm.planner.GivenCluster;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Role;
import io.deepvm.workload.AsynchronousTraining;
import io.deepvm.workload.parameterserver.ClusterSpeed;
import io.deepvm.workload.parameterserver.LossGoal;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.ServerSensitivity;
import io.deepvm.workload.parameterserver.Training;
import io.deepvm.workload.parameterserver.WorkerGroup;
import io.deepvm.workload.parameterserver.WorkerType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Predicts a given cluster of workers and parameter servers. */
final class GivenServers {

  private final AsynchronousTraining training;
  private final GivenCluster cluster;

  GivenServers(AsynchronousTraining training, GivenCluster cluster) {
    this.training = training;
    this.cluster = cluster;
  }

  ClusterForecast forecast() {
    ParameterServerModel model = new ParameterServerModel(training.profile(), servers());
    List<WorkerGroup> workers = workers();
    ClusterSpeed speed = model.played(workers);
    List<Finding> findings = new ArrayList<>();
    findings.add(new Finding("samplesPerSecond", "speed", speed.samplesPerSecond(), "samples/s"));
    findings.add(new Finding("secondsPerIteration", "iteration", speed.iterationSeconds(), "s"));
    for (ClusterSpeed.GroupSpeed group : speed.groups()) {
      String name = group.type().name();
      findings.add(
          new Finding(
              "computeSeconds." + name, name + " computes", group.type().computeSeconds(), "s"));
      findings.add(
          new Finding(
              "communicationSeconds." + name,
              name + " communicates",
              group.communicationSeconds(),
              "s"));
    }
    findings.add(new Finding("batch", "average batch", speed.batch(), "samples"));
    findings.add(new Finding("convergence", "convergence coefficient", speed.convergence(), ""));
    Money perHour =
        cluster.nodes().stream().map(NodeGroup::pricePerHour).reduce(Money.ZERO, Money::plus);
    findings.add(new Finding("usdPerHour", "price", perHour.dollars(), "$/h"));
    List<Elasticity> sensitivity = new ArrayList<>();
    List<String> assumptions = new ArrayList<>();
    Double target = training.targetLoss();
    if (target == null) {
      assumptions.add("No target loss is stated, so that no time and no cost is predicted.");
    } else {
      LossGoal goal = LossGoal.fromStart(target);
      Training trained = model.train(speed, goal);
      findings.add(new Finding("seconds", "time to a loss of " + target, trained.seconds(), "s"));
      findings.add(
          new Finding("usd", "cost until then", perHour.dollars() * trained.seconds() / 3600, "$"));
      ServerSensitivity.of(model, workers, goal).stream()
          .map(s -> new Elasticity(s.input(), -s.percentPerPercent()))
          .sorted(Comparator.comparingDouble((Elasticity e) -> Math.abs(e.elasticity())).reversed())
          .forEach(sensitivity::add);
    }
    return new ClusterForecast(
        cluster,
        findings,
        "%s, %s of the workers' time"
            .formatted(speed.bottleneck(), Numbers.percent(speed.share(speed.bottleneck()))),
        sensitivity,
        List.of(),
        List.of(),
        assumptions);
  }

  private List<WorkerGroup> workers() {
    List<WorkerGroup> workers = new ArrayList<>();
    for (NodeGroup group : cluster.nodes()) {
      if (group.role() != Role.WORKER) {
        continue;
      }
      WorkerType type = training.profile().worker(group.offer().machine());
      if (type == null) {
        throw new BadInput(
            "Neither %s nor its GPU was measured for this job."
                .formatted(group.offer().machine().name()),
            "Maybe add it to parameterServer.workers in the job file.");
      }
      workers.add(new WorkerGroup(type, group.count()));
    }
    return workers;
  }

  private Bandwidth servers() {
    long bits = 0;
    for (NodeGroup group : cluster.nodes()) {
      if (group.role() == Role.SERVER) {
        Bandwidth network = group.offer().machine().network();
        if (network == null) {
          throw new BadInput(
              "The network of the server %s is unknown.".formatted(group.offer().machine().name()),
              "Maybe choose another type.");
        }
        bits += network.bitsPerSecond() * group.count();
      }
    }
    if (bits == 0) {
      throw new BadInput(
          "The cluster has no parameter server.",
          "Maybe mark one of its groups with role: server.");
    }
    return new Bandwidth(bits);
  }
}
