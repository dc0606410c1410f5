package io.deepvm.cli.print;

import io.deepvm.base.Bandwidth;
import java.util.List;

/**
 * How several machines train together.
 *
 * @param timesOne times as fast as one of them
 * @param how a sentence each on the exchange, the batch and the memory
 */
public record ClusterGrowth(int nodes, Bandwidth network, double timesOne, List<String> how) {

  public ClusterGrowth {
    how = List.copyOf(how);
  }
}
