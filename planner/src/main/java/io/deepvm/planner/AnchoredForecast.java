package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.planner.ClusterForecast.Elasticity;
import io.deepvm.planner.ClusterForecast.Finding;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobScaling;
import io.deepvm.workload.JobSpeed;
import io.deepvm.workload.NetworkSaturation;
import io.deepvm.workload.ScalingCurve;
import io.deepvm.workload.Work;
import io.deepvm.workload.parallel.ClusterModel;
import io.deepvm.workload.parallel.Split;
import io.deepvm.workload.parallel.SplitReport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Predicts a given cluster with anchors, and says which of the anchors' rules it breaks. */
final class AnchoredForecast {

  /** One per cent more of an input. */
  private static final double MORE = 1.01;

  private final Job job;
  private final JobSpeed speeds;
  private final GivenCluster cluster;
  private final List<NodeGroup> training;
  private final int workers;
  private final List<String> assumptions = new ArrayList<>();

  AnchoredForecast(Job job, GivenCluster cluster, JobSpeed speeds) {
    this.job = job;
    this.cluster = cluster;
    this.speeds = speeds;
    // Under single-anchor the anchor trains too; under tiering it has no GPU.
    training =
        cluster.nodes().stream()
            .filter(group -> group.role() == Role.WORKER || group.offer().machine().trains())
            .toList();
    workers = training.stream().mapToInt(NodeGroup::count).sum();
    if (workers == 0) {
      throw new BadInput(
          "No node of the cluster can train.", "Maybe add a group of a type with GPUs.");
    }
    if (cluster.nodes().stream().map(AnchoredForecast::region).distinct().count() > 1) {
      throw new BadInput(
          "A %s cluster stands in one region, and this one in several."
              .formatted(cluster.architecture()),
          "Maybe predict it as --architecture averaging.");
    }
  }

  ClusterForecast forecast() {
    double speed = speed(workers);
    if (speed <= 0) {
      return doesNotFit();
    }
    double one = flops(training.get(0).offer().machine());
    List<Finding> findings = findings(speed);
    double next = speed(workers + 1) / speed - 1;
    return new ClusterForecast(
        cluster,
        findings,
        "scaling: %d workers do the work of %s".formatted(workers, Numbers.print(speed / one)),
        sensitivity(next * workers),
        advice(next),
        warnings(),
        assumptions);
  }

  /** Returns the figures of the forecast. */
  List<Finding> figures() {
    double speed = speed(workers);
    return speed <= 0 ? doesNotFit().findings() : findings(speed);
  }

  private List<Finding> findings(double speed) {
    boolean stated = training.get(0).offer().machine().statedFlops() != null;
    double one = flops(training.get(0).offer().machine());
    Money price = Money.ZERO;
    for (NodeGroup group : cluster.nodes()) {
      price = price.plus(group.pricePerHour());
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(new Finding("speedup", "speed-up", speed / one, ""));
    findings.add(new Finding("flops", "speed", speed, stated ? "in the catalog's unit" : "FLOPS"));
    findings.add(new Finding("usdPerHour", "price", price.dollars(), "$/h"));
    Work work = job.work();
    if (work != null) {
      double seconds = work.secondsAt(speed);
      Double samples = work.samplesPerSecondAt(speed);
      if (samples != null) {
        findings.add(new Finding("samplesPerSecond", "throughput", samples, "samples/s"));
        findings.add(
            new Finding(
                "usdPerMillionSamples",
                "price of a million samples",
                price.dollars() / 3600 / samples * 1e6,
                "$"));
      }
      findings.add(new Finding("seconds", "time", seconds, "s"));
      findings.add(new Finding("usd", "cost", price.dollars() * seconds / 3600, "$"));
      assumptions.add(
          "training reaches %s of the dense peak".formatted(Numbers.percent(work.utilisation())));
    }
    return findings;
  }

  /** A cluster whose memory is too small trains nothing. */
  private ClusterForecast doesNotFit() {
    return new ClusterForecast(
        cluster,
        List.of(
            new Finding("speedup", "speed-up", 0, ""), new Finding("flops", "speed", 0, "FLOPS")),
        "the memory of the GPUs",
        List.of(),
        List.of("More nodes or GPUs with more memory may hold it."),
        List.of(
            "The model does not fit the memory of %d x %s, however it is split."
                .formatted(workers, training.get(0).offer().machine().name())),
        assumptions);
  }

  private ScalingCurve firstCurve() {
    Machine first = training.get(0).offer().machine();
    return JobScaling.of(job, first, speeds);
  }

  private List<Elasticity> sensitivity(double toWorkers) {
    Elasticity number = new Elasticity("number of workers", toWorkers);
    if (!(firstCurve() instanceof ScalingCurve.Exchanging curve) || curve.measured() != null) {
      return List.of(new Elasticity("FLOPS of the workers", 1), number);
    }
    ClusterModel model = curve.model();
    return List.of(
        new Elasticity(
            "speed of the GPUs", change(model, model.at(MORE / model.secondsPerSample()))),
        new Elasticity("network", change(model, model.withNetwork(MORE))),
        number);
  }

  private double change(ClusterModel before, ClusterModel after) {
    Split now = before.best(workers);
    Split then = after.best(workers);
    return now == null || then == null
        ? 0
        : (then.samplesPerSecond() / now.samplesPerSecond() - 1) / (MORE - 1);
  }

  private List<String> advice(double next) {
    List<String> advice = new ArrayList<>();
    Machine first = training.get(0).offer().machine();
    if (firstCurve() instanceof ScalingCurve.Exchanging curve) {
      advice.addAll(SplitReport.of(curve.model(), workers));
      if (curve.networkAssumed() && workers > 1) {
        assumptions.add(
            "the network of %s: %s".formatted(first.name(), JobScaling.ASSUMED_NETWORK));
      }
    }
    advice.add("One more worker would add %s of speed.".formatted(Numbers.percent(next)));
    return advice;
  }

  /** At a total of n each type keeps the share of its speed that its own curve leaves at n. */
  private double speed(int n) {
    double sum = 0;
    for (NodeGroup group : training) {
      Machine machine = group.offer().machine();
      ScalingCurve curve = JobScaling.of(job, machine, speeds);
      if (curve == job.scaling().assumed() && n == workers) {
        assumptions.add("scaling of %s: %s".formatted(machine.name(), curve.describe()));
      }
      double share = group.count() / (double) workers;
      sum += share * flops(machine) * curve.speedup(n);
    }
    return sum;
  }

  private static String region(NodeGroup group) {
    return new Place(group.offer().place().cloud(), group.offer().place().region(), null)
        .toString();
  }

  private double flops(Machine machine) {
    Double flops = speeds.flops(machine);
    if (flops == null) {
      throw new BadInput(
          "The %s FLOPS of %s are not known.".formatted(job.precision(), machine.name()),
          "Maybe another --catalog states them.");
    }
    return flops;
  }

  private List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    List<NodeGroup> anchors =
        cluster.nodes().stream().filter(group -> group.role() == Role.ANCHOR).toList();
    boolean anySpot =
        cluster.nodes().stream().anyMatch(group -> group.offer().market() == Market.SPOT);
    if (anchors.isEmpty() && anySpot) {
      warnings.add("No node keeps the checkpoints: losing the spot nodes loses the training.");
    }
    if (!cluster.architecture().equals(Tiering.NAME)) {
      return warnings;
    }
    DataSize checkpoint = job.checkpoint() == null ? CheckpointGoal.USUAL_SIZE : job.checkpoint();
    for (NodeGroup anchor : anchors) {
      Machine machine = anchor.offer().machine();
      Bandwidth link = slowestLink(machine);
      if (link == null) {
        assumptions.add("the network of %s is not known, so not checked".formatted(machine.name()));
        continue;
      }
      int needed =
          NetworkSaturation.anchorsNeeded(workers, NetworkSaturation.workersPerAnchor(link));
      if (anchor.count() < needed) {
        warnings.add(
            "%d x %s saturate at %s: %d workers need %d of them."
                .formatted(anchor.count(), machine.name(), link, workers, needed));
      }
      if (machine.memory() != null) {
        int hold =
            CheckpointNeeds.of(CheckpointGoal.USUAL.withSize(checkpoint))
                .anchorsToHold(workers, machine.memory().bytes());
        if (anchor.count() < hold) {
          warnings.add(
              "%d x %s have too little memory for two checkpoints of %s."
                  .formatted(anchor.count(), machine.name(), checkpoint));
        }
      }
    }
    return warnings;
  }

  private @Nullable Bandwidth slowestLink(Machine anchor) {
    Bandwidth slowest = anchor.network();
    for (NodeGroup group : training) {
      Bandwidth own = group.offer().machine().network();
      if (own == null || slowest == null) {
        return null;
      }
      slowest = Bandwidth.min(slowest, own);
    }
    return slowest;
  }
}
