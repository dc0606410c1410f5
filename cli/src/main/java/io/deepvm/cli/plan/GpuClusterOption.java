package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.planner.GivenCluster;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Role;
import io.deepvm.workload.JobScaling;
import io.deepvm.workload.parallel.TrainingSetup;
import io.deepvm.workload.speed.SpeedEstimate;
import io.deepvm.workload.speed.SpeedQuestion;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A cluster of equal nodes, by its GPUs alone. */
final class GpuClusterOption {

  private static final Place NOWHERE = new Place("own", "cluster", null);

  @Option(
      names = "--gpu",
      paramLabel = "NAME",
      description = "Instead of --cluster: the GPU of equal nodes, such as A100-80GB.")
  private @Nullable String gpu;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      defaultValue = "1",
      description = "GPUs of one node; ${DEFAULT-VALUE}.")
  private int gpus;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many nodes; ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--network",
      paramLabel = "RATE",
      description = "Network of one node, such as 25Gbps; 10 Gbps is assumed.")
  private @Nullable Bandwidth network;

  /** Whether a cluster is described by its GPUs. */
  boolean isGiven() {
    return gpu != null;
  }

  /** Whether there is more than one node, or a network between them. */
  boolean isSeveral() {
    return nodes != 1 || network != null;
  }

  /** Returns the speed of all nodes from that of one. */
  ModelOverNodes together(SpeedQuestion question, TrainingSetup setup, SpeedEstimate alone) {
    require("--nodes", nodes);
    return new ModelOverNodes(
        question, setup, alone, nodes, network == null ? JobScaling.ASSUMED_NETWORK : network);
  }

  /** Returns the GPUs of one node. */
  Gpus node() {
    if (gpu == null) {
      throw new BadInput(
          "--model needs to know on which GPU.", "Maybe add --gpu A100, or plan for all of them.");
    }
    Gpu model = Hardware.gpu(gpu);
    if (model == null) {
      throw new BadInput(
          "There is no GPU '%s'.".formatted(gpu),
          Suggestion.maybe(gpu, Hardware.gpuNames(), "Maybe see docs/reference/hardware.md."));
    }
    require("--gpus", gpus);
    return new Gpus(model, gpus);
  }

  /** Returns the cluster. */
  GivenCluster cluster(String architecture) {
    Gpus own = node();
    require("--nodes", nodes);
    Machine machine =
        new Machine(
            NOWHERE.cloud(),
            "%d x %s".formatted(gpus, own.model().name()),
            "",
            0,
            null,
            own,
            network,
            null,
            null,
            null);
    Offer offer = new Offer(machine, NOWHERE, Market.ON_DEMAND, Money.ZERO);
    return new GivenCluster(
        architecture,
        List.of(new GivenCluster.Group(new NodeGroup(Role.WORKER, offer, nodes), null)));
  }

  private static void require(String option, int count) {
    if (count < 1) {
      throw new BadInput(
          "%s is %d, which is less than 1.".formatted(option, count), "Maybe write 1.");
    }
  }
}
