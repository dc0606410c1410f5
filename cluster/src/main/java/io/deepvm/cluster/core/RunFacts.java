package io.deepvm.cluster.core;

import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.log.Event;
import io.deepvm.market.Pool;
import java.util.List;

/**
 * What is fixed for the whole run.
 *
 * @param pools the pools that nodes are rented from
 * @param limit the most nodes that the cloud holds at once
 * @param workers the number of workers of the plan
 * @param serverMicrosPerHour the price of a node that keeps parameters; 0 if the anchors pay for it
 * @param started the first event of a new run
 */
public record RunFacts(
    RunSpec spec,
    List<Pool> pools,
    int limit,
    int workers,
    long serverMicrosPerHour,
    Event.Started started) {
  public RunFacts {
    pools = List.copyOf(pools);
  }
}
