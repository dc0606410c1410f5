package io.deepvm.places.slurm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of one kind that Slurm gives.
 *
 * @param name what messages call the kind
 * @param partition where jobs are submitted; null for the cluster's default
 * @param nodes the most nodes at once
 * @param gpus asked for on each node; 0 for none
 * @param options further options of sbatch, as they are
 */
public record SlurmPool(
    String name, @Nullable String partition, int nodes, int gpus, List<String> options) {
  public SlurmPool {
    options = List.copyOf(options);
  }
}
