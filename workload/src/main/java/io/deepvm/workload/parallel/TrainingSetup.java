package io.deepvm.workload.parallel;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import org.jspecify.annotations.Nullable;

/**
 * How a job trains on several GPUs; what is not stated is null.
 *
 * @param globalBatch samples of one step of the whole cluster
 * @param activations of one sample
 * @param inputSamplesPerSecond that one node's input pipeline delivers
 * @param memoryBinds whether a GPU must hold what training needs; false to see what memory costs
 */
public record TrainingSetup(
    Framework framework,
    Optimizer optimizer,
    @Nullable Integer globalBatch,
    @Nullable DataSize activations,
    @Nullable Double inputSamplesPerSecond,
    boolean memoryBinds) {

  /** What holds for a job that states nothing. */
  public static final TrainingSetup USUAL =
      new TrainingSetup(Framework.PYTORCH, Optimizer.ADAM, null, null, null, true);

  public TrainingSetup {
    if (inputSamplesPerSecond != null && !(inputSamplesPerSecond > 0)) {
      throw new BadInput(
          "The input pipeline's %s samples/s are not a positive number."
              .formatted(inputSamplesPerSecond),
          "Maybe leave it out.");
    }
  }

  /** Returns the same on GPUs whose memory is never too small. */
  public TrainingSetup withoutMemoryLimit() {
    return new TrainingSetup(
        framework, optimizer, globalBatch, activations, inputSamplesPerSecond, false);
  }
}
