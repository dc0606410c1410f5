package io.deepvm.cluster.log;

import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.member.Role;

/**
 * One node of a run according to its log.
 *
 * @param rentedMs when it was asked for, in the market's time
 * @param endedMs when it ended; -1 while it lives
 * @param handle how the cloud finds it; empty before it was granted
 * @param reason of the last change
 */
public record NodeStatus(
    String node,
    Role role,
    int pool,
    String poolName,
    Market market,
    NodeState state,
    String handle,
    String reason,
    long rentedMs,
    long endedMs,
    Money cost) {}
