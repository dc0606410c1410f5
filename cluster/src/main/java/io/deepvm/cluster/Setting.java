package io.deepvm.cluster;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.places.Timers;
import io.deepvm.places.local.LocalCloud;
import io.deepvm.places.local.LocalOptions;
import io.deepvm.places.recorded.Playback;
import io.deepvm.places.recorded.RecordedCloud;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.policy.InPlace;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything around a run that is not kept in its folder; a run that is resumed gets the same
 * again.
 *
 * @param cloud where nodes come from
 * @param speed market seconds that pass in one second
 * @param scenario the plan's facts, for the policy
 * @param policy decides what to rent and to give back
 * @param emulation what this machine needs and the nodes that it stands for do not; null if the
 *     nodes stand for themselves
 * @param listener receives each event after it was logged, and what commands print
 */
public record Setting(
    CloudFactory cloud,
    double speed,
    Scenario scenario,
    Policy policy,
    @Nullable Emulation emulation,
    RunListener listener) {

  private static final int STEADY_DAYS = 3650;

  /** Returns processes of this machine that live through a recorded market. */
  public static CloudFactory recorded(LocalOptions options, Playback playback) {
    return (Timers timers, Clock clock) ->
        new RecordedCloud(
            new LocalCloud(options, playback.market().pools(), timers, clock),
            playback,
            timers,
            clock);
  }

  /** Returns a setting that keeps this many spot nodes of a pool that has them and is free. */
  public static Setting steady(
      LocalOptions options, int nodes, Revocations revocations, long seed, RunListener listener) {
    Playback playback = new Playback(steadyMarket(nodes), 0, 1, revocations, seed);
    return new Setting(
        recorded(options, playback),
        1,
        steadyScenario(nodes),
        new InPlace(new int[] {nodes}, new int[] {0}),
        null,
        listener);
  }

  private static SpotMarket steadyMarket(int nodes) {
    int[] available = new int[STEADY_DAYS];
    Arrays.fill(available, nodes);
    return SpotMarket.of(
        List.of(
            new Trace(
                new Pool(new Place("local", "local", null), "local"),
                null,
                Duration.ofDays(1),
                available,
                nodes,
                new double[STEADY_DAYS],
                0.0)));
  }

  /** Returns the facts of a run that only has to keep this many nodes. */
  public static Scenario steadyScenario(int nodes) {
    return new Scenario(
        new Throughput.ByCount(new double[] {1}),
        Double.MAX_VALUE,
        nodes,
        Double.POSITIVE_INFINITY,
        -1,
        0,
        Money.ZERO,
        Recovery.SURVIVORS,
        Checkpointing.none(new DataSize(0)),
        Startup.USUAL,
        Billing.EXACT,
        new double[1][1]);
  }
}
