package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;

/**
 * The model whose gradients are averaged.
 *
 * @param parameters how many
 * @param tensors how many learnable tensors hold them; each costs a little in every round
 */
public record TrainedModel(String name, double parameters, int tensors) {

  public TrainedModel {
    if (!(parameters > 0 && Double.isFinite(parameters))) {
      throw new BadInput(
          "The model %s has %s parameters, which is not a positive number."
              .formatted(name, parameters),
          "Maybe write it like 560e6.");
    }
    if (tensors < 1) {
      throw new BadInput(
          "The model %s has %d tensors, which is less than 1.".formatted(name, tensors),
          "Maybe count its learnable tensors: 62 in ResNet-18, 394 in RoBERTa-large.");
    }
  }

  /** Bytes of one gradient on the wire. */
  double wireBytes(Compression compression) {
    return parameters * compression.bytesPerParameter();
  }
}
