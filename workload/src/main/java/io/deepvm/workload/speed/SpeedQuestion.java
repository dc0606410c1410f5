package io.deepvm.workload.speed;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Precision;
import org.jspecify.annotations.Nullable;

/**
 * How fast the GPUs of one machine train a model.
 *
 * @param gpus how many GPUs share the work
 * @param batch samples that one GPU takes in a step; null for the largest that was measured
 */
public record SpeedQuestion(
    ModelShape model, Gpu gpu, int gpus, Precision precision, @Nullable Integer batch) {

  public SpeedQuestion {
    if (gpus < 1) {
      throw new BadInput(
          "%d GPUs cannot train.".formatted(gpus), "Maybe leave --gpus out for one.");
    }
    if (batch != null && batch < 1) {
      throw new BadInput("The batch of %d samples is less than 1.".formatted(batch), "Maybe 32.");
    }
  }
}
