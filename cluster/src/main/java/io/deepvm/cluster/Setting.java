package io.deepvm.cluster;

import io.deepvm.catalog.Place;
import io.deepvm.cluster.revocation.Revocations;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import io.deepvm.simulator.Billing;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Policy;
import io.deepvm.simulator.Recovery;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Startup;
import io.deepvm.simulator.Throughput;
import io.deepvm.simulator.policy.InPlace;
import io.deepvm.units.DataSize;
import io.deepvm.units.Money;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything a run lives in that is not kept in its folder; a run that is resumed gets the same
 * again.
 *
 * @param market prices and capacity; a run that is not done at its end is given up
 * @param firstTick the market's tick in which the run starts
 * @param speed market seconds that pass in one second
 * @param scenario the plan's facts, for the policy
 * @param policy decides what to rent and to give back
 * @param revocations how nodes are lost besides what the market takes
 * @param seed of everything drawn by lot
 * @param emulation what this machine needs and the nodes that it stands for do not; null if the
 *     nodes stand for themselves
 * @param listener receives each event after it was logged, and what commands print
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
    @Nullable Emulation emulation,
    RunListener listener) {

  private static final int STEADY_DAYS = 3650;

  /**
   * Returns a setting that keeps so many spot nodes of one pool, which always has them and costs
   * nothing.
   */
  public static Setting steady(
      Provider provider,
      int nodes,
      Revocations revocations,
      long seed,
      Clock clock,
      RunListener listener) {
    int[] available = new int[STEADY_DAYS];
    Arrays.fill(available, nodes);
    Trace trace =
        new Trace(
            new Pool(new Place("local", "local", null), "local"),
            null,
            Duration.ofDays(1),
            available,
            nodes,
            new double[STEADY_DAYS],
            0.0);
    Scenario scenario =
        new Scenario(
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
    return new Setting(
        provider,
        SpotMarket.of(List.of(trace)),
        0,
        1,
        scenario,
        new InPlace(new int[] {nodes}, new int[] {0}),
        revocations,
        seed,
        clock,
        null,
        listener);
  }
}
