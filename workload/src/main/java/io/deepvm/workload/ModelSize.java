package io.deepvm.workload;

import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/**
 * How large the model is.
 *
 * @param parameters how many
 * @param tensors how many learnable tensors hold them; null when not stated
 * @param trained how many have a dense gradient and an optimizer's state; the others are frozen, or
 *     embeddings of which a step touches few
 */
public record ModelSize(double parameters, @Nullable Integer tensors, double trained) {

  /** A model of which every parameter is trained. */
  public ModelSize(double parameters, @Nullable Integer tensors) {
    this(parameters, tensors, parameters);
  }

  public ModelSize {
    if (!(parameters > 0 && Double.isFinite(parameters))) {
      throw new BadInput(
          "The model has %s parameters, which is not a positive number.".formatted(parameters),
          "Maybe write it like 560e6.");
    }
    if (!(trained > 0 && trained <= parameters)) {
      throw new BadInput(
          "Of %s parameters, %s cannot be trained.".formatted(parameters, trained),
          "Maybe leave model.trained out: then all are.");
    }
  }
}
