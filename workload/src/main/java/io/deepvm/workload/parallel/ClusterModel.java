package io.deepvm.workload.parallel;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Interconnect;
import org.jspecify.annotations.Nullable;

/**
 * How fast clusters of equal nodes train a model, and how it is split over them.
 *
 * <p>A model that one GPU holds with its usual batch is not split. Else the fastest of all splits
 * that fit the memory is chosen; every split is weighed, also against whole models on smaller
 * batches.
 *
 * @param secondsPerSample forward and backward on one GPU alone
 * @param memoryBinds whether what does not fit a GPU's memory is refused
 */
public record ClusterModel(
    ModelNeeds model,
    NodeShape node,
    Software software,
    BatchRule batch,
    double secondsPerSample,
    boolean memoryBinds) {

  /** Larger groups than these are not used in practice, and would not be faster. */
  private static final int MOST_STAGES = 16;

  /** What is left of the activations when all but each layer's input is computed again. */
  private static final double RECOMPUTED_SHARE = 0.1;

  /** Forward is a third of a step and runs a second time. */
  private static final double RECOMPUTED_TIME = 4.0 / 3;

  /** A layer adds up its output over the tensor group twice in forward and twice in backward. */
  private static final int SUMS_PER_LAYER = 4;

  /** Returns the fastest way to train on this many nodes, or null where none fits. */
  public @Nullable Split best(int nodes) {
    if (nodes > 1 && node.network() == null) {
      return null;
    }
    Split plain = plain(nodes);
    boolean isWhole = plain != null && plain.batching().microBatch() == largestBatch(plain);
    if (isWhole || !memoryBinds) {
      return plain;
    }
    Split best = plain;
    for (int tensor = 1; tensor <= node.gpus(); tensor *= 2) {
      for (int stages = 1; stages <= Math.min(MOST_STAGES, model.layers()); stages *= 2) {
        if (node.gpus() % tensor == 0 && nodes >= stages) {
          // Nodes that do not make up a whole group of stages stay idle.
          best = bestOf(best, nodes - nodes % stages, tensor, stages);
        }
      }
    }
    return best;
  }

  private @Nullable Split plain(int nodes) {
    return fitting(nodes, new Way(Sharding.NONE, 1, 1, false));
  }

  /** Returns samples per second of one GPU whose exchanges are free, times the GPUs of a node. */
  public double idealNode() {
    return node.gpus() / secondsPerSample;
  }

  /**
   * Returns how many times as fast this many nodes are as one, or as one that exchanges nothing
   * where one does not hold the model; 0 where they do not hold it either.
   */
  public double timesOneNode(int nodes) {
    Split one = best(1);
    Split all = best(nodes);
    double base = one == null ? idealNode() : one.samplesPerSecond();
    return all == null ? 0 : all.samplesPerSecond() / base;
  }

  /**
   * Returns the same for a node whose speed with all of its GPUs is known, were each to hold the
   * whole model: that speed already holds what a shared host and the exchange inside the node cost.
   */
  public ClusterModel ofNode(double samplesPerSecond) {
    ClusterModel whole = withoutMemoryLimit();
    Split usual = whole.best(1);
    boolean isUsualBatch = usual != null && usual.batching().microBatch() == batch.perGpu();
    return with(
        MeasuredNode.fitted(
            isUsualBatch ? whole : whole.by(batch.ofUsualBatch()), samplesPerSecond));
  }

  /** Returns the same for a node that was measured as it trains, split where it must be. */
  public ClusterModel ofMeasuredNode(double samplesPerSecond) {
    return best(1) == null
        ? ofNode(samplesPerSecond)
        : with(MeasuredNode.fitted(this, samplesPerSecond));
  }

  /** Returns how this many nodes train where every GPU holds the whole model. */
  public @Nullable Split whole(int nodes) {
    return withoutMemoryLimit().best(nodes);
  }

  private ClusterModel withoutMemoryLimit() {
    return new ClusterModel(model, node, software, batch, secondsPerSample, false);
  }

  /** Returns the same with the speed and the interconnect of another. */
  private ClusterModel with(ClusterModel other) {
    return on(other.node).at(1 / other.secondsPerSample);
  }

  private ClusterModel by(BatchRule other) {
    return new ClusterModel(model, node, software, other, secondsPerSample, memoryBinds);
  }

  /** Returns the same on nodes of this shape. */
  ClusterModel on(NodeShape other) {
    return new ClusterModel(model, other, software, batch, secondsPerSample, memoryBinds);
  }

  /** Returns the same where one GPU alone trains this many samples a second. */
  public ClusterModel at(double samplesPerSecond) {
    return new ClusterModel(model, node, software, batch, 1 / samplesPerSecond, memoryBinds);
  }

  /** Returns the same over a network this many times as fast. */
  public ClusterModel withNetwork(double times) {
    Bandwidth network = node.network();
    NodeShape other =
        network == null
            ? node
            : node.withNetwork(new Bandwidth(Math.round(times * network.bitsPerSecond())));
    return on(other);
  }

  /** Returns what a replica of one GPU would take at once if memory were no limit. */
  private int largestBatch(Split plain) {
    Batching unlimited = batch.of(plain.batching().replicas(), 1, batch.perGpu());
    return unlimited == null ? batch.perGpu() : unlimited.microBatch();
  }

  private @Nullable Split bestOf(@Nullable Split before, int nodes, int tensor, int stages) {
    Split best = before;
    for (Sharding sharding : Sharding.ALL) {
      boolean pointless = sharding.insideNode() && (nodes == stages || node.gpus() == tensor);
      if (pointless) {
        continue;
      }
      best = faster(best, fitting(nodes, new Way(sharding, tensor, stages, false)));
      double recomputing = nodes * idealNode() / RECOMPUTED_TIME;
      if (best == null || best.samplesPerSecond() < recomputing) {
        best = faster(best, fitting(nodes, new Way(sharding, tensor, stages, true)));
      }
    }
    return best;
  }

  private static @Nullable Split faster(@Nullable Split one, @Nullable Split other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return other.samplesPerSecond() > one.samplesPerSecond() ? other : one;
  }

  /** One way to split, before it is known what batch fits. */
  private record Way(Sharding sharding, int tensor, int stages, boolean recompute) {

    int gpusPerReplica() {
      return tensor * stages;
    }
  }

  /**
   * Returns the split with the micro-batch that makes it fastest. Without stages that is the
   * largest that fits; with them, smaller ones keep more stages busy.
   */
  private @Nullable Split fitting(int nodes, Way way) {
    int replicas = nodes * node.gpus() / way.gpusPerReplica();
    DataSize memory = node.memory();
    Split best = null;
    for (int micro = batch.perGpu(); micro >= 1; micro /= 2) {
      Batching batching = batch.of(replicas, way.gpusPerReplica(), micro);
      if (batching == null) {
        return best;
      }
      MemoryUse use = memory(way, batching);
      if (!memoryBinds || memory == null || use.fits(memory)) {
        best = faster(best, split(nodes, way, batching, use));
        if (way.stages() == 1) {
          return best;
        }
      }
    }
    return best;
  }

  private Split split(int nodes, Way way, Batching batching, MemoryUse use) {
    return new Split(
        way.sharding(),
        shards(way, batching),
        way.tensor(),
        way.stages(),
        way.recompute(),
        batching,
        use,
        stepSeconds(nodes, way, batching));
  }

  private int shards(Way way, Batching batching) {
    return way.sharding().degree(batching.replicas(), node.gpus() / way.tensor());
  }

  private MemoryUse memory(Way way, Batching batching) {
    int stage = way.sharding().stage();
    double shards = shards(way, batching);
    double weights = model.weightsBytes() / way.gpusPerReplica();
    double gradients = model.gradientBytes() / way.gpusPerReplica();
    double optimizer = model.trained() * model.optimizerBytes() / way.gpusPerReplica();
    // The layers at hand and the next are whole while the rest is spread.
    double gathered = stage == 3 ? 2 * weights / model.layers() * way.stages() : 0;
    int inFlight = Math.min(batching.accumulation(), way.stages());
    double activations =
        batching.microBatch()
            * model.activationBytes()
            * (way.recompute() ? RECOMPUTED_SHARE : 1)
            / way.gpusPerReplica()
            * inFlight;
    return new MemoryUse(
        stage == 3 ? Math.min(weights, weights / shards + gathered) : weights,
        stage >= 2 ? gradients / shards : gradients,
        stage >= 1 ? optimizer / shards : optimizer,
        activations);
  }

  private double stepSeconds(int nodes, Way way, Batching batching) {
    double compute =
        Math.max(
            inputSeconds(way, batching),
            software.computeSeconds(
                microBatchSeconds(batching.microBatch())
                    / way.gpusPerReplica()
                    * (way.recompute() ? RECOMPUTED_TIME : 1),
                node.gpus()));
    Gathering gathering = gathering(nodes, way);
    double micro =
        compute
            + layerSums(way, batching)
            + handOver(way, batching)
            + software.exposedSeconds(gathering.eachMicroBatch(), compute);
    return (batching.accumulation() + way.stages() - 1) * micro
        + software.exposedSeconds(gathering.eachStep(), compute);
  }

  /** Forward and backward of a micro-batch on one GPU alone, whose speed is that of a batch. */
  private double microBatchSeconds(int samples) {
    double whole = batch.perGpu() * secondsPerSample;
    return software.batchSeconds(whole, samples / (double) batch.perGpu());
  }

  /** Seconds in which a node's input pipeline has one micro-batch of all its replicas ready. */
  private double inputSeconds(Way way, Batching batching) {
    double perNode = batching.microBatch() * node.gpus() / (double) way.gpusPerReplica();
    return perNode / batch.inputSamplesPerSecond();
  }

  /** Seconds in which the GPUs of a tensor group add up the outputs of their layers. */
  private double layerSums(Way way, Batching batching) {
    double sums = SUMS_PER_LAYER * model.layers() / (double) way.stages();
    double bytes = batching.microBatch() * model.boundaryBytes();
    return sums
        * Collectives.insideSeconds(bytes, way.tensor(), node.interconnect())
        * groupsOnTheBus(node.gpus() / way.tensor());
  }

  /** Seconds in which a stage hands activations on and gradients back. */
  private double handOver(Way way, Batching batching) {
    if (way.stages() == 1) {
      return 0;
    }
    int pipelines = node.gpus() / way.tensor();
    double bytes = 2 * batching.microBatch() * model.boundaryBytes() * pipelines;
    return bytes / Collectives.network(node).bytesPerSecond();
  }

  /** What replicas exchange, in seconds: with every micro-batch, and once a step. */
  private record Gathering(double eachMicroBatch, double eachStep) {}

  private Gathering gathering(int nodes, Way way) {
    AllReduce gradients = sums(nodes, way, model.gradientBytes() / way.gpusPerReplica());
    // An all-reduce is a reduce-scatter and a gather, each half of it.
    return switch (way.sharding().stage()) {
      case 0, 1 -> new Gathering(0, gradients.sharded() + gradients.rest());
      case 2 -> new Gathering(gradients.sharded() / 2, gradients.sharded() / 2 + gradients.rest());
      default -> {
        // Weights are gathered in forward and in backward.
        AllReduce weights = sums(nodes, way, model.weightsBytes() / way.gpusPerReplica());
        yield new Gathering(weights.sharded() + gradients.sharded() / 2, gradients.rest());
      }
    };
  }

  /** Seconds of an all-reduce where the state is spread, and between what holds all of it. */
  private record AllReduce(double sharded, double rest) {}

  private AllReduce sums(int nodes, Way way, double bytes) {
    int perNode = node.gpus() / way.tensor();
    int group = nodes / way.stages();
    double inside =
        Collectives.insideSeconds(bytes, perNode, node.interconnect())
            * groupsOnTheBus(way.tensor());
    double between =
        group == 1
            ? 0
            : Collectives.betweenSeconds(bytes * way.tensor(), group, Collectives.network(node));
    return way.sharding().insideNode()
        ? new AllReduce(inside, between)
        : new AllReduce(inside + between, 0);
  }

  /** Groups of GPUs that share the host's bus take turns; NVLink serves all at once. */
  private int groupsOnTheBus(int groups) {
    return node.interconnect().kind() == Interconnect.Kind.PCIE ? groups : 1;
  }
}
