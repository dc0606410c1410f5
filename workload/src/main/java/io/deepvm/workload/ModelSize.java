package io.deepvm.workload;

import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/**
 * How large the model is.
 *
 * @param parameters how many
 * @param tensors how many learnable tensors hold them; null when not stated
 */
public record ModelSize(double parameters, @Nullable Integer tensors) {

  public ModelSize {
    if (!(parameters > 0 && Double.isFinite(parameters))) {
      throw new BadInput(
          "The model has %s parameters, which is not a positive number.".formatted(parameters),
          "Maybe write it like 560e6.");
    }
  }
}
