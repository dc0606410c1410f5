package io.deepvm.simulator;

import static io.deepvm.simulator.Markets.flat;
import static io.deepvm.simulator.Markets.kept;
import static io.deepvm.simulator.Markets.scenario;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.simulator.policy.OnDemandOnly;
import io.deepvm.simulator.policy.PerformanceFirst;
import io.deepvm.simulator.policy.SpotOnly;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SimulationTest {

  private static final Checkpointing NONE = Checkpointing.none(DataSize.ofGb(1));
  private static final double NO_DEADLINE = Double.POSITIVE_INFINITY;

  @Test
  void withoutHazardAtAFlatPriceARunCostsNodesTimesHoursTimesPrice() {
    SpotMarket market = Markets.of(flat(4, 100));
    // 4 workers, 2.5 h of 4 units a second.
    Outcome outcome = run(scenario(4, 36_000, NO_DEADLINE, NONE), market, new SpotOnly());
    assertThat(outcome.cost()).isEqualTo(Money.parse("30"));
    assertThat(outcome.seconds()).isEqualTo(9000);
    assertThat(outcome.nodeSeconds()).containsExactly(entry(Activity.USEFUL, 36_000.0));
    assertThat(outcome.goodput()).isEqualTo(1);
  }

  @Test
  void onDemandNodesAreNeverTaken() {
    SpotMarket market = Markets.of(flat(0, 100));
    Outcome outcome = run(scenario(4, 36_000, NO_DEADLINE, NONE), market, new OnDemandOnly());
    assertThat(outcome.cost()).isEqualTo(Money.parse("100"));
    assertThat(outcome.revocations()).isZero();
  }

  @Test
  void survivorsGoOnAndOnlySpeedIsLost() {
    // Two of four nodes go after an hour and never come back.
    int[] counts = flat(2, 100);
    java.util.Arrays.fill(counts, 0, 6, 4);
    Outcome outcome =
        run(scenario(4, 21_600, NO_DEADLINE, NONE), Markets.of(counts), new SpotOnly());
    // 14,400 units in the first hour, 7,200 at 2 a second in the second.
    assertThat(outcome.seconds()).isEqualTo(7200);
    assertThat(outcome.revocations()).isEqualTo(2);
    assertThat(outcome.nodeSeconds()).doesNotContainKey(Activity.REDONE);
    assertThat(outcome.cost()).isEqualTo(Money.parse("18"));
  }

  @Test
  void withoutCheckpointsALossOfAllNodesLosesEverything() {
    int[] counts = flat(2, 100);
    counts[6] = 0;
    Outcome outcome =
        run(scenario(2, 10_000, NO_DEADLINE, NONE), Markets.of(counts), new SpotOnly());
    assertThat(outcome.nodeSeconds()).containsEntry(Activity.REDONE, 7200.0);
    assertThat(outcome.seconds()).isEqualTo(4200 + 5000);
  }

  @Test
  void aLossOfAllNodesCostsTheWorkSinceTheLastKeptCheckpoint() {
    int[] counts = flat(2, 100);
    counts[6] = 0;
    // Every 1,000 s of training, 10 s stall, 50 s to ship: the third is begun at 3,020 s.
    Scenario scenario =
        scenario(2, 10_000, NO_DEADLINE, kept(10, 50, 100, new SaveRule.Fixed(1000)));
    Outcome outcome = run(scenario, Markets.of(counts), new SpotOnly());
    // Until 3,600 s: 3 x 1,000 s of training, 30 s of stalls, and 570 s lost.
    assertThat(outcome.nodeSeconds().get(Activity.REDONE)).isEqualTo(2 * 570.0);
    // Back at 4,200 s, 100 s restore, 2,000 s of training left with 1 stall.
    assertThat(outcome.seconds()).isEqualTo(4200 + 100 + 2000 + 10);
    assertThat(outcome.nodeSeconds().get(Activity.STALLED)).isEqualTo(2 * 40.0);
    assertThat(outcome.nodeSeconds().get(Activity.WAITING)).isEqualTo(2 * 100.0);
    assertThat(outcome.checkpoints()).isEqualTo(4);
  }

  @Test
  void aNoticeLongEnoughSavesTheWork() {
    int[] counts = flat(2, 100);
    counts[6] = 0;
    Checkpointing inTime =
        new Checkpointing(
            DataSize.ofGb(1), true, 10, 50, 0, true, false, new SaveRule.Fixed(100_000));
    Outcome outcome =
        run(scenario(2, 10_000, NO_DEADLINE, inTime), Markets.of(counts), new SpotOnly());
    // AWS says it 120 s before: training goes on for 110 s after the snapshot, which are lost.
    assertThat(outcome.nodeSeconds().get(Activity.REDONE)).isEqualTo(2 * 110.0);
    Outcome untold =
        run(
            scenario(2, 10_000, NO_DEADLINE, inTime),
            Markets.of("elsewhere", counts),
            new SpotOnly());
    assertThat(untold.nodeSeconds().get(Activity.REDONE)).isEqualTo(2 * 3600.0);
  }

  @Test
  void aSaveIsMadeWhenHalfOfTheMembersAreToldBecauseTheOtherNoticesMayHaveFailed() {
    int[] counts = flat(8, 100);
    counts[6] = 0;
    Checkpointing inTime =
        new Checkpointing(
            DataSize.ofGb(1), true, 10, 50, 0, true, false, new SaveRule.Fixed(100_000));
    Scenario scenario = scenario(8, 40_000, NO_DEADLINE, inTime);
    // Of 8 notices with a chance of 0.8 each, 4 or more come in 99 of 100 runs.
    SpotMarket market = losing(Markets.of(counts), 0.2, 0);
    Outcome outcome = run(scenario, market, new SpotOnly());
    assertThat(outcome.nodeSeconds().get(Activity.REDONE)).isEqualTo(8 * 110.0);
    Outcome untold = run(scenario, losing(Markets.of(counts), 1, 0), new SpotOnly());
    assertThat(untold.nodeSeconds().get(Activity.REDONE)).isEqualTo(8 * 3600.0);
  }

  @Test
  void workersOnDemandCrashAtTheStatedRateAndAreReplaced() {
    // 4 workers for 250 h at 0.02 crashes an hour each: 20 are expected, with a deviation of 4.5.
    SpotMarket market = losing(Markets.of(flat(0, 3000)), 0, 0.02);
    Scenario scenario = scenario(4, 3_600_000, NO_DEADLINE, NONE);
    Outcome outcome = run(scenario, market, new OnDemandOnly());
    assertThat(outcome.finished()).isTrue();
    assertThat(outcome.revocations()).isBetween(7, 33);
    assertThat(outcome.nodeSeconds()).doesNotContainKey(Activity.REDONE);
    assertThat(run(scenario, market, new OnDemandOnly())).isEqualTo(outcome);
  }

  @Test
  void crashesOfAGangCostHalfAnIntervalEachOnAverage() {
    // Without stalls and boots a crash loses what was done since the last multiple of 1,000 s.
    Scenario plain = scenario(4, 28_800_000, NO_DEADLINE, kept(0, 0, 0, new SaveRule.Fixed(1000)));
    Scenario gang =
        new Scenario(
            new Throughput.Gang(4, 4),
            plain.work(),
            4,
            NO_DEADLINE,
            -1,
            0,
            Money.ZERO,
            Recovery.RESTART,
            plain.checkpointing(),
            plain.startup(),
            plain.billing(),
            plain.egressUsdPerGb());
    Outcome outcome = run(gang, losing(Markets.of(flat(0, 20_000)), 0, 0.05), new OnDemandOnly());
    assertThat(outcome.revocations()).isGreaterThan(300);
    double redone = outcome.nodeSeconds().getOrDefault(Activity.REDONE, 0.0);
    assertThat(redone / 4 / outcome.revocations()).isBetween(440.0, 560.0);
  }

  @Test
  void lossesWithoutNoticeShortenTheBestInterval() {
    int[] counts = flat(1, 4000);
    Random random = new Random(1);
    for (int t = 0; t < counts.length; t++) {
      counts[t] = random.nextInt(18) == 0 ? 0 : 1;
    }
    Checkpointing inTime =
        new Checkpointing(DataSize.ofGb(1), true, 20, 30, 0, true, false, new SaveRule.Fixed(1000));
    assertThat(bestInterval(losing(Markets.of(counts), 0, 0), inTime))
        .isGreaterThan(4 * bestInterval(losing(Markets.of(counts), 1, 0), inTime));
  }

  private static double bestInterval(SpotMarket market, Checkpointing checkpointing) {
    Scenario scenario = scenario(1, 200_000, NO_DEADLINE, checkpointing);
    return IntervalCurve.of(
            scenario,
            every ->
                Experiment.run(
                    scenario.saving(new SaveRule.Fixed(every)),
                    future -> new SpotOnly(),
                    (run, seed) -> new Future(market, 7 * run),
                    16,
                    1,
                    1,
                    runs -> {}))
        .best()
        .seconds();
  }

  private static SpotMarket losing(SpotMarket market, double share, double crashesPerHour) {
    return market.losing(cloud -> new UnannouncedLosses(share, crashesPerHour));
  }

  @Test
  void bootingAndReformingArePaidAndGiveNothing() {
    Scenario plain = scenario(3, 10_800, NO_DEADLINE, NONE);
    Scenario slow =
        new Scenario(
            plain.throughput(),
            plain.work(),
            3,
            NO_DEADLINE,
            -1,
            2,
            Money.parse("1"),
            Recovery.SURVIVORS,
            NONE,
            new Startup(90, 60, 5),
            Billing.BY_THE_SECOND,
            plain.egressUsdPerGb());
    Outcome outcome = run(slow, Markets.of(flat(3, 100)), new SpotOnly());
    assertThat(outcome.seconds()).isEqualTo(3695);
    assertThat(outcome.nodeSeconds())
        .containsEntry(Activity.BOOTING, 270.0)
        .containsEntry(Activity.WAITING, 15.0)
        .containsEntry(Activity.USEFUL, 10_800.0)
        .containsEntry(Activity.ANCHORING, 2 * 3695.0);
    assertThat(outcome.bill()).containsEntry(Charge.ANCHOR, Money.parse("1.026389"));
  }

  @Test
  void onlyWhereNobodyHasTrainedBeforeTimeIsLostUntilProcessesAreUpToSpeed() {
    int[] counts = flat(2, 100);
    counts[2] = 1;
    counts[6] = 0;
    Checkpointing always = kept(0, 0, 7, new SaveRule.Fixed(1));
    Scenario scenario = scenario(2, 10_000, NO_DEADLINE, always).starting(new Startup(0, 0, 5, 40));
    Outcome outcome = run(scenario, Markets.of(counts), new SpotOnly());
    // Both at the start and after the loss of both; one forms alone once, and both again.
    assertThat(outcome.nodeSeconds().get(Activity.WAITING))
        .isEqualTo(2 * (5 + 40) + 5 + 2 * 5 + 2 * (5 + 40 + 7.0));
  }

  @Test
  void whoJoinsNewProcessesDoesNotMakeThemNewAgain() {
    int[] counts = flat(2, 100);
    counts[0] = 1;
    Scenario scenario =
        scenario(2, 10_000, NO_DEADLINE, kept(0, 0, 7, new SaveRule.Fixed(1)))
            .starting(new Startup(0, 0, 5, 900));
    Outcome outcome = run(scenario, Markets.of(counts), new SpotOnly());
    // The second comes with the next tick, and both are up to speed when the first would have been.
    assertThat(outcome.nodeSeconds().get(Activity.WAITING)).isEqualTo(905.0 + 305);
  }

  @Test
  void aGangThatLosesANodeStartsAgainFromItsCheckpoint() {
    int[] counts = flat(4, 100);
    counts[6] = 3;
    Scenario plain = scenario(4, 28_800, NO_DEADLINE, kept(0, 0, 0, new SaveRule.Fixed(1000)));
    Scenario gang =
        new Scenario(
            new Throughput.Gang(4, 4),
            plain.work(),
            4,
            NO_DEADLINE,
            -1,
            0,
            Money.ZERO,
            Recovery.RESTART,
            plain.checkpointing(),
            plain.startup(),
            plain.billing(),
            plain.egressUsdPerGb());
    Outcome outcome = run(gang, Markets.of(counts), new SpotOnly());
    assertThat(outcome.nodeSeconds().get(Activity.REDONE)).isEqualTo(4 * 600.0);
    // Three nodes wait for the fourth for a tick.
    assertThat(outcome.nodeSeconds().get(Activity.WAITING)).isEqualTo(3 * 600.0);
    assertThat(outcome.seconds()).isEqualTo(7200 + 600 + 600);
  }

  @Test
  void aRunThatOutlivesTheRecordIsUnfinished() {
    Outcome outcome =
        run(scenario(1, 1e9, NO_DEADLINE, NONE), Markets.of(flat(1, 10)), new SpotOnly());
    assertThat(outcome.finished()).isFalse();
    assertThat(outcome.metDeadline()).isFalse();
    assertThat(outcome.seconds()).isEqualTo(6000);
  }

  @Test
  void aMissingNodeIsReplacedOnDemandByPerformanceFirst() {
    Outcome outcome =
        run(
            scenario(4, 14_400, 3600, NONE),
            Markets.of(flat(1, 10), flat(2, 10)),
            new PerformanceFirst());
    assertThat(outcome.metDeadline()).isTrue();
    assertThat(outcome.cost()).isEqualTo(Money.parse("21"));
  }

  private static Outcome run(Scenario scenario, SpotMarket market, Policy policy) {
    return Simulation.run(scenario, market, 0, policy, 1, null);
  }
}
