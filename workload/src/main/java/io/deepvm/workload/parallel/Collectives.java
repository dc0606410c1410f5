package io.deepvm.workload.parallel;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Interconnect;

/**
 * How long GPUs need to add up their gradients: first inside each node, then between the nodes.
 *
 * <p>Every architecture is judged by these formulas; docs/explanation/cluster-speed.md derives them
 * and says what they were tried on.
 */
public final class Collectives {

  /** The share of NVLink's stated bandwidth that an all-reduce reaches. */
  static final double NVLINK_SHARE = 0.8;

  /** Gradients are sent in pieces of this size; each piece goes around all nodes. */
  static final double BUCKET_BYTES = 25e6;

  /** What a bucket takes more for each node but the first, over TCP. */
  static final double TCP_HOP_SECONDS = 1.85e-3;

  /** The same where the network reads and writes GPU memory itself. */
  static final double RDMA_HOP_SECONDS = 2e-5;

  /** From this bandwidth on, clouds offer such a network. */
  static final Bandwidth RDMA_FROM = Bandwidth.ofGbps(100);

  private Collectives() {}

  /** Returns the seconds in which all GPUs of one node come to hold the sum of their buffers. */
  public static double insideSeconds(double bytes, int gpus, Interconnect interconnect) {
    double rate = interconnect.bytesPerSecond();
    return switch (interconnect.kind()) {
      // a ring: each GPU sends and receives 2 (g - 1) / g of the buffer
      case NVLINK -> 2.0 * (gpus - 1) / gpus * bytes / (NVLINK_SHARE * rate);
      // all copies pass the one bus of the host
      case PCIE -> 2.0 * (gpus - 1) * bytes / rate;
    };
  }

  /** Returns the seconds in which all nodes come to hold the sum of their buffers: a ring. */
  public static double betweenSeconds(double bytes, int nodes, Bandwidth network) {
    if (nodes <= 1) {
      return 0;
    }
    double hop = network.compareTo(RDMA_FROM) >= 0 ? RDMA_HOP_SECONDS : TCP_HOP_SECONDS;
    return wireSeconds(bytes, nodes, network) + hop * Math.ceil(bytes / BUCKET_BYTES) * (nodes - 1);
  }

  /** Returns what the slowest network card needs at least for an exchange between all nodes. */
  public static double wireSeconds(double bytes, int nodes, Bandwidth network) {
    return 2.0 * (nodes - 1) / nodes * bytes / network.bytesPerSecond();
  }

  /** Returns the seconds of an all-reduce over all GPUs of equal nodes. */
  public static double allReduceSeconds(double bytes, int nodes, NodeShape node) {
    return insideSeconds(bytes, node.gpus(), node.interconnect())
        + (nodes == 1 ? 0 : betweenSeconds(bytes, nodes, network(node)));
  }

  static Bandwidth network(NodeShape node) {
    if (node.network() == null) {
      throw new BadInput(
          "Several nodes exchange gradients over a network whose bandwidth is not known.",
          "Maybe give --network, like 25Gbps.");
    }
    return node.network();
  }
}
