package io.deepvm.workload.parallel;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Interconnect;
import io.deepvm.catalog.Machine;
import org.jspecify.annotations.Nullable;

/**
 * What one node of a cluster brings to synchronous training.
 *
 * @param memory of one GPU; null when not known
 * @param network to the other nodes, the baseline; null when not known
 */
public record NodeShape(
    int gpus, @Nullable DataSize memory, Interconnect interconnect, @Nullable Bandwidth network) {

  public NodeShape {
    if (gpus < 1) {
      throw new BadInput("A node of %d GPUs cannot train.".formatted(gpus), "Maybe write 1.");
    }
  }

  /** Returns the shape of a machine, or null where it has no whole GPU. */
  public static @Nullable NodeShape of(Machine machine) {
    Gpus gpus = machine.gpus();
    return gpus == null || gpus.count() < 1
        ? null
        : new NodeShape(
            (int) gpus.count(), gpus.model().memory(), Interconnect.of(machine), machine.network());
  }

  /** Returns the same node with other links between its GPUs. */
  NodeShape withInterconnect(Interconnect other) {
    return new NodeShape(gpus, memory, other, network);
  }

  /** Returns the same node with another network. */
  public NodeShape withNetwork(@Nullable Bandwidth other) {
    return new NodeShape(gpus, memory, interconnect, other);
  }
}
