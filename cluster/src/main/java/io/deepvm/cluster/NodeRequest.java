package io.deepvm.cluster;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.member.Role;
import io.deepvm.market.Pool;

/**
 * A node to be rented.
 *
 * @param keeper where ZooKeeper is, "host:port"
 * @param sessionSeconds a node's silence before it counts as lost
 */
public record NodeRequest(
    String run,
    String node,
    Role role,
    Pool pool,
    Market market,
    String keeper,
    double sessionSeconds) {}
