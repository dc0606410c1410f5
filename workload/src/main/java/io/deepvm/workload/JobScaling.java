package io.deepvm.workload;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Machine;
import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.parallel.BatchRule;
import io.deepvm.workload.parallel.ClusterModel;
import io.deepvm.workload.parallel.ModelNeeds;
import io.deepvm.workload.parallel.NodeShape;
import io.deepvm.workload.parallel.Split;
import io.deepvm.workload.parallel.TrainingSetup;
import io.deepvm.workload.speed.SpeedBasis;
import io.deepvm.workload.speed.SpeedEstimate;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a job's speed grows on clusters of one machine, and whether its model fits there. */
public final class JobScaling {

  /** Stands for an unknown network. */
  public static final Bandwidth ASSUMED_NETWORK = Bandwidth.ofGbps(10);

  /** Samples that one GPU takes at once where the job does not say and memory allows. */
  private static final int USUAL_BATCH = 32;

  private JobScaling() {}

  /**
   * Returns the curve for clusters of this machine: the job's own or the catalog's measurement,
   * else what follows from the size of the model, else the assumption.
   *
   * @param speeds of the job on one machine
   */
  public static ScalingCurve of(Job job, Machine machine, JobSpeed speeds) {
    ScalingCurve stated = job.scaling().of(machine);
    ClusterModel model = model(job, machine, speeds);
    if (model == null) {
      return stated;
    }
    SpeedEstimate known = speeds.estimate(machine);
    boolean computed = stated == Scaling.ASSUMED && (known != null || flopPerSample(job) != null);
    return new ScalingCurve.Exchanging(
        model,
        known == null ? model.idealNode() : known.samplesPerSecond(),
        machine.network() == null,
        computed ? null : stated);
  }

  /** Returns the model of clusters of this machine, or null where the job or machine says less. */
  public static @Nullable ClusterModel model(Job job, Machine machine, JobSpeed speeds) {
    SpeedEstimate known = speeds.estimate(machine);
    Double flops = known == null ? machine.flops(job.precision()) : Double.valueOf(1);
    ClusterModel model = flops == null ? null : unmeasured(job, machine, flops);
    if (model == null || known == null) {
      return model;
    }
    return known.basis() == SpeedBasis.MEASURED
        ? model.ofMeasuredNode(known.samplesPerSecond())
        : model.ofNode(known.samplesPerSecond());
  }

  /**
   * Returns how many times as fast as one of its GPUs alone a machine is; the number of its GPUs
   * where the size of the model is not known.
   */
  public static double timesOneGpu(Job job, Machine machine, double samplesPerSecond) {
    ClusterModel model = unmeasured(job, machine, 1);
    int gpus = Objects.requireNonNull(NodeShape.of(machine)).gpus();
    Split split = model == null ? null : model.at(samplesPerSecond).whole(1);
    return split == null ? gpus : split.samplesPerSecond() / samplesPerSecond;
  }

  private static @Nullable ClusterModel unmeasured(Job job, Machine machine, double flops) {
    ModelSize size = job.profiles().model();
    NodeShape node = NodeShape.of(machine);
    if (size == null || node == null || machine.statedFlops() != null) {
      return null;
    }
    TrainingSetup setup = job.profiles().training();
    Work work = job.work();
    double utilisation = work == null ? 1 : work.utilisation();
    return new ClusterModel(
        needs(job, size),
        node.network() == null ? node.withNetwork(ASSUMED_NETWORK) : node,
        setup.framework().software(),
        batch(job),
        flopOrLeast(job, size) / (flops / node.gpus() * utilisation),
        setup.memoryBinds() && job.gpuMemory() == null);
  }

  /**
   * Returns the memory that a GPU must have to hold a whole replica: what the job states, else what
   * its model needs for one sample at a time, else null.
   */
  public static @Nullable DataSize replicaMemory(Job job) {
    ModelSize size = job.profiles().model();
    return job.gpuMemory() != null || size == null || !job.profiles().training().memoryBinds()
        ? job.gpuMemory()
        : needs(job, size).whole(1).leastMemory();
  }

  private static ModelNeeds needs(Job job, ModelSize size) {
    TrainingSetup setup = job.profiles().training();
    return ModelNeeds.of(
            size.parameters(),
            job.precision(),
            setup.optimizer(),
            flopOrLeast(job, size),
            setup.activations())
        .training(size.trained());
  }

  /** Operations of a sample; of one token where the operations of a sample are unknown. */
  private static double flopOrLeast(Job job, ModelSize size) {
    Double perSample = flopPerSample(job);
    return perSample == null ? 6 * size.parameters() : perSample;
  }

  private static @Nullable Double flopPerSample(Job job) {
    Work work = job.work();
    return work == null || work.samples() == null ? null : work.flop() / work.samples();
  }

  /** A job that averages over a target batch converges with it in every architecture. */
  private static BatchRule batch(Job job) {
    TrainingSetup setup = job.profiles().training();
    AveragingProfile averaging = job.profiles().averaging();
    Integer perGpu = job.profiles().batch();
    if (perGpu == null) {
      perGpu = averaging == null ? USUAL_BATCH : averaging.microBatch();
    }
    Integer global = setup.globalBatch();
    if (global == null && averaging != null) {
      global = averaging.largestTargetBatch();
    }
    Double input = setup.inputSamplesPerSecond();
    return new BatchRule(perGpu, global, input == null ? Double.POSITIVE_INFINITY : input);
  }
}
