package io.deepvm.workload.parallel;

import io.deepvm.base.BadInput;

/**
 * Synchronous data parallel training where every GPU holds the whole model.
 *
 * @param gradientBytes what all GPUs add up once a step
 * @param inputSeconds the least time in which the input pipeline of a node has the batches of its
 *     GPUs ready; 0 when it always has
 */
public record DataParallel(
    NodeShape node, Software software, double gradientBytes, double inputSeconds) {

  /** Accumulation aims at this share of the speed that a free exchange would give. */
  public static final double GOOD_SHARE = 0.9;

  public DataParallel {
    if (!(gradientBytes >= 0 && inputSeconds >= 0)
        || !Double.isFinite(gradientBytes + inputSeconds)) {
      throw new BadInput(
          "Gradients of %s bytes or an input of %s s are not usable."
              .formatted(gradientBytes, inputSeconds),
          "Maybe both are at least 0.");
    }
  }

  /** Data parallel training whose input is always ready. */
  public DataParallel(NodeShape node, Software software, double gradientBytes) {
    this(node, software, gradientBytes, 0);
  }

  /**
   * Returns the seconds of one step.
   *
   * @param computeSeconds forward and backward of one micro-batch on one GPU alone
   * @param accumulation micro-batches between two exchanges
   */
  public double stepSeconds(int nodes, double computeSeconds, int accumulation) {
    double compute = Math.max(inputSeconds, software.computeSeconds(computeSeconds, node.gpus()));
    double exchange = Collectives.allReduceSeconds(gradientBytes, nodes, node);
    return accumulation * compute + software.exposedSeconds(exchange, compute);
  }

  /** Returns how many times as fast as one GPU alone the nodes are. */
  public double speedup(int nodes, double computeSeconds, int accumulation) {
    return nodes
        * node.gpus()
        * accumulation
        * computeSeconds
        / stepSeconds(nodes, computeSeconds, accumulation);
  }

  /** Returns the least accumulation with which exchanges cost at most a tenth of the speed. */
  public int accumulationNeeded(int nodes, double computeSeconds) {
    double compute = Math.max(inputSeconds, software.computeSeconds(computeSeconds, node.gpus()));
    double exposed =
        software.exposedSeconds(Collectives.allReduceSeconds(gradientBytes, nodes, node), compute);
    return (int) Math.max(1, Math.ceil(exposed * GOOD_SHARE / (1 - GOOD_SHARE) / compute));
  }
}
