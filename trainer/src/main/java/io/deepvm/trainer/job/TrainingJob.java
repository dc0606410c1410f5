package io.deepvm.trainer.job;

import io.deepvm.base.BadInput;
import io.deepvm.trainer.data.DataSpec;
import io.deepvm.trainer.model.ModelSpec;
import io.deepvm.trainer.vector.OptimizerSpec;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What is trained, and how.
 *
 * @param microBatch the samples computed on at a time
 * @param targetBatch the samples of a step, over all members
 * @param steps how many steps there are
 * @param seed what parameters, generated samples and their order come from
 * @param wire what gradients are sent as
 * @param average what members average
 * @param topology whom a member sums with first
 * @param overlap whether the next step is computed while the sum of one is exchanged
 * @param staleness by how many updates of others a server's worker may be behind; -1 for any
 * @param checkpoint null when nothing is saved
 */
public record TrainingJob(
    String name,
    Strategy strategy,
    ModelSpec model,
    DataSpec data,
    int microBatch,
    int targetBatch,
    long steps,
    OptimizerSpec optimizer,
    long seed,
    Wire wire,
    Average average,
    Topology topology,
    boolean overlap,
    int staleness,
    @Nullable CheckpointSpec checkpoint) {

  /** How members work together. */
  public enum Strategy {
    /** All have the same parameters and average what each step found. */
    AVERAGING("averaging"),
    /** Servers keep the parameters; workers pull and push without waiting for each other. */
    PARAMETER_SERVER("parameter-server");

    private final String text;

    Strategy(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** What numbers are sent as. */
  public enum Wire {
    FP32("fp32"),
    FP16("fp16");

    private final String text;

    Wire(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** What members average. */
  public enum Average {
    /** Gradients, summed over a step's samples. */
    GRADIENTS("gradients"),
    /** Parameters, after each member has taken steps of its own. */
    PARAMETERS("parameters");

    private final String text;

    Average(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Whom a member sums with first. */
  public enum Topology {
    /** All at once. */
    FULL_MESH("full-mesh"),
    /** Those of its place, so that a sum crosses between places once. */
    LOCAL_FIRST("local-first");

    private final String text;

    Topology(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  public TrainingJob {
    if (average == Average.PARAMETERS
        && (optimizer.kind() != OptimizerSpec.Kind.SGD || optimizer.momentum() > 0)) {
      throw new BadInput(
          "Members that average parameters take plain SGD steps of their own, not %s with momentum %s."
              .formatted(optimizer.kind(), optimizer.momentum()),
          "Maybe write optimizer: {kind: sgd, momentum: 0}, or average gradients.");
    }
    if (overlap && average == Average.PARAMETERS) {
      throw new BadInput(
          "Members that average parameters cannot compute on while these are exchanged.",
          "Maybe average gradients, or leave overlap out.");
    }
    if (microBatch < 1 || targetBatch < microBatch || targetBatch % microBatch != 0) {
      throw new BadInput(
          "The target batch (%d) is not a multiple of the micro-batch (%d)."
              .formatted(targetBatch, microBatch),
          "Maybe take %d."
              .formatted(Math.max(1, targetBatch / Math.max(1, microBatch)) * microBatch));
    }
    if (steps < 1) {
      throw new BadInput("There are %d steps.".formatted(steps), "Maybe train for one at least.");
    }
  }

  /** Reads a job from a YAML or JSON file. */
  public static TrainingJob read(Path file) {
    return new TrainingJobFile(file).read();
  }

  /** Returns the job with more steps than anybody waits for. */
  public TrainingJob endless() {
    return new TrainingJob(
        name,
        strategy,
        model,
        data,
        microBatch,
        targetBatch,
        1_000_000_000,
        optimizer,
        seed,
        wire,
        average,
        topology,
        overlap,
        staleness,
        checkpoint);
  }

  /** Returns how many micro-batches a step has. */
  public int microBatches() {
    return targetBatch / microBatch;
  }
}
