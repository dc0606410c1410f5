package io.deepvm.cluster;

import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.revocation.Revocations;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Scenario;
import java.time.Clock;
import java.util.function.Consumer;

/**
 * Everything a run lives in that is not kept in its folder; a run that is resumed gets the same
 * again.
 *
 * @param market prices and capacity; after its last tick it stays as it is
 * @param firstTick the market's tick in which the run starts
 * @param speed market seconds that pass in one second
 * @param scenario the plan's facts, for the policy
 * @param policy decides what to rent and to give back
 * @param revocations how nodes are lost besides what the market takes
 * @param seed of everything drawn by lot
 * @param listener hears each event after it was logged
 */
public record Setting(
    Provider provider,
    SpotMarket market,
    int firstTick,
    double speed,
    Scenario scenario,
    Policy policy,
    Revocations revocations,
    long seed,
    Clock clock,
    Consumer<Logged> listener) {}
