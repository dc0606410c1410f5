package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import java.util.List;

/** One measured run: its peers, its model, and its speed by the clock on the wall. */
public record Observation(
    TrainedModel model,
    List<PeerGroup> groups,
    Network network,
    Protocol protocol,
    int targetBatch,
    double samplesPerSecond) {

  public Observation {
    groups = List.copyOf(groups);
    if (!(samplesPerSecond > 0 && Double.isFinite(samplesPerSecond))) {
      throw new BadInput(
          "A measured speed of %s samples/s is not a positive number.".formatted(samplesPerSecond),
          "Maybe the column holds something else.");
    }
  }

  /** How far the model's speed is above the measured one, relative to it. */
  public double error(Coefficients constants) {
    return predicted(constants) / samplesPerSecond - 1;
  }

  /** The model's samples per second. */
  double predicted(Coefficients constants) {
    // A fit asks this thousands of times, so money and routes are left out.
    AveragingModel predictor = new AveragingModel(model, network, protocol, constants);
    double round = predictor.roundSeconds(predictor.exchange(groups), groups, targetBatch);
    return targetBatch / round;
  }
}
