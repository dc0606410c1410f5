package io.deepvm.workload.parallel;

import io.deepvm.units.BadInput;

/**
 * How the training software hides and hinders the exchange of gradients.
 *
 * @param overlap seconds of exchange that hide behind each second of forward and backward
 * @param sharedHost by how much a step becomes longer where many GPUs share one host's processors
 *     and memory, relative
 */
public record Software(double overlap, double sharedHost) {

  /**
   * Distributed data parallel training in PyTorch: gradients leave while backward goes on. Both
   * figures are fitted to step times; docs/cluster-speed.md says to which.
   */
  public static final Software PYTORCH = new Software(0.42, 0.10);

  /** Gradients are added up in host memory after the step, as TensorFlow 1 did for spotDNN. */
  public static final Software HOST_SUM = new Software(0, 0);

  public Software {
    if (!(overlap >= 0 && overlap <= 1 && sharedHost >= 0 && Double.isFinite(sharedHost))) {
      throw new BadInput(
          "The overlap %s or the cost of a shared host %s is not usable."
              .formatted(overlap, sharedHost),
          "Maybe write shares between 0 and 1.");
    }
  }

  /** Returns the seconds of forward and backward on a host with this many GPUs. */
  public double computeSeconds(double alone, int gpus) {
    return alone * (1 + sharedHost * (gpus - 1) / gpus);
  }

  /** Returns the part of an exchange that training waits for. */
  public double exposedSeconds(double exchange, double compute) {
    return Math.max(0, exchange - overlap * compute);
  }
}
