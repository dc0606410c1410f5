package io.deepvm.cluster.shell;

import io.deepvm.cluster.RunListener;
import io.deepvm.cluster.core.Obligations;
import io.deepvm.cluster.log.EventStore;
import io.deepvm.places.Cloud;
import io.deepvm.places.Order;
import io.deepvm.places.Timers;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Scenario;
import java.time.Clock;
import java.util.function.Function;

/**
 * What a coordinator works with.
 *
 * @param store where events go; synced before anything follows from them
 * @param timers the coordinator's thread
 * @param clock the time of events
 * @param orders makes the order of a node
 */
public record RunContext(
    Cloud cloud,
    EventStore store,
    Timers timers,
    Clock clock,
    Policy policy,
    Scenario scenario,
    RunListener listener,
    Function<Obligations.Ordered, Order> orders) {}
