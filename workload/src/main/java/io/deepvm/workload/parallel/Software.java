package io.deepvm.workload.parallel;

import io.deepvm.base.BadInput;

/**
 * How the training software hides and hinders the exchange of gradients.
 *
 * @param overlap seconds of exchange that hide behind each second of forward and backward
 * @param sharedHost by how much a step becomes longer where many GPUs share one host's processors
 *     and memory, relative
 * @param fixedShare of a step's forward and backward that a smaller batch does not shorten
 */
public record Software(double overlap, double sharedHost, double fixedShare) {

  /**
   * Distributed data parallel training in PyTorch: gradients leave while backward goes on. The
   * figures are fitted to step times; docs/explanation/cluster-speed.md says to which.
   */
  public static final Software PYTORCH = new Software(0.42, 0.10, 0.12);

  /** Gradients are added up in host memory after the step, as TensorFlow 1 did for spotDNN. */
  public static final Software HOST_SUM = new Software(0, 0, 0);

  public Software {
    boolean shares = overlap >= 0 && overlap <= 1 && fixedShare >= 0 && fixedShare <= 1;
    if (!(shares && sharedHost >= 0 && Double.isFinite(sharedHost))) {
      throw new BadInput(
          "The overlap %s, the cost of a shared host %s or the fixed share %s is not usable."
              .formatted(overlap, sharedHost, fixedShare),
          "Maybe write shares between 0 and 1.");
    }
  }

  /** Returns the seconds of forward and backward on a host with this many GPUs. */
  public double computeSeconds(double alone, int gpus) {
    return alone * (1 + sharedHost * (gpus - 1) / gpus);
  }

  /** Returns how long a batch takes that is this share of the one whose time is known. */
  public double batchSeconds(double known, double share) {
    return known * (fixedShare + (1 - fixedShare) * share);
  }

  /** Returns the part of an exchange that training waits for. */
  public double exposedSeconds(double exchange, double compute) {
    return Math.max(0, exchange - overlap * compute);
  }
}
