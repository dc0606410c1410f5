package io.deepvm.workload.parallel;

import io.deepvm.catalog.Interconnect;

/**
 * Finds the speed of one GPU alone that gives the measured speed of its whole node.
 *
 * <p>Without it, the shared host and the exchange inside the node would be paid for twice.
 */
final class MeasuredNode {

  /** Halvings after which the speed of one GPU is exact. */
  private static final int HALVINGS = 60;

  /** Computing takes at least this share of a step: else the interconnect is faster than stated. */
  private static final double LEAST_COMPUTING = 0.5;

  /** No GPU alone is this many times as fast as among the others of its node. */
  private static final double FASTEST = 8;

  /** Doublings of an interconnect beyond which nothing changes. */
  private static final int MOST_DOUBLINGS = 20;

  private MeasuredNode() {}

  static ClusterModel fitted(ClusterModel model, double samplesPerSecond) {
    double ideal = samplesPerSecond / model.node().gpus();
    ClusterModel rate = model.at(ideal);
    if (speed(rate) >= samplesPerSecond) {
      return rate;
    }
    for (int i = 0; i < MOST_DOUBLINGS; i++) {
      if (speed(rate.at(ideal / LEAST_COMPUTING)) >= samplesPerSecond) {
        break;
      }
      rate = rate.on(rate.node().withInterconnect(twice(rate.node().interconnect())));
    }
    double slow = ideal;
    double fast = FASTEST * ideal;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (slow + fast) / 2;
      if (speed(rate.at(middle)) < samplesPerSecond) {
        slow = middle;
      } else {
        fast = middle;
      }
    }
    return rate.at(fast);
  }

  private static double speed(ClusterModel model) {
    Split split = model.best(1);
    return split == null ? 0 : split.samplesPerSecond();
  }

  private static Interconnect twice(Interconnect interconnect) {
    return new Interconnect(interconnect.kind(), 2 * interconnect.bytesPerSecond());
  }
}
