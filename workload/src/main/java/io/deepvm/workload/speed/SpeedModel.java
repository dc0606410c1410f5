package io.deepvm.workload.speed;

import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Precision;
import org.jspecify.annotations.Nullable;

/** Answers how fast one GPU trains a model. */
@FunctionalInterface
public interface SpeedModel {

  /**
   * Returns the speed of one GPU, or null when it is unknown: the model was never measured and its
   * FLOP are not stated, or the GPU's peak is not known.
   *
   * @param batch samples that the GPU takes in a step; null for what is usual
   */
  @Nullable SpeedEstimate of(
      ModelShape model, Gpu gpu, Precision precision, @Nullable Integer batch);
}
