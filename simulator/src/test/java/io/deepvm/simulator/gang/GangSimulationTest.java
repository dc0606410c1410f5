package io.deepvm.simulator.gang;

import static io.deepvm.simulator.gang.Markets.down;
import static io.deepvm.simulator.gang.Markets.up;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.Trace;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GangSimulationTest {

  private static final Offset<Double> CENT = within(1e-9);

  /** Two hours of work in four, twelve minutes to restart, 50 GB to carry. */
  private static final GangJob EASY = new GangJob(7200, 14_400, 720, 50);

  /** Four and a half hours of work in five. */
  private static final GangJob TIGHT = new GangJob(16_200, 18_000, 720, 50);

  private static GangOutcome run(String policy, GangMarket market, GangJob job) {
    return GangSimulation.run(market, job, GangPolicies.named(policy).make(market));
  }

  @ParameterizedTest
  @ValueSource(strings = {"greedy", "UP", "UP(S)", "UP(A)", "UP(AP)", "SkyNomad", "clairvoyant"})
  void spotThatStaysIsPaidTickByTickIncludingTheLast(String policy) {
    // 0, 480, then 600 s a tick: 14 ticks for 7200 s.
    GangOutcome outcome = run(policy, Markets.of(up(24)), EASY);
    assertThat(outcome.inTime()).isTrue();
    assertThat(outcome.dollars()).isEqualTo(14, CENT);
    assertThat(outcome.dollarsBeforeLastTick()).isEqualTo(13, CENT);
    assertThat(outcome.migrations()).isZero();
  }

  @Test
  void onDemandNeverStops() {
    GangOutcome outcome = run("on-demand", Markets.of(down(24)), EASY);
    assertThat(outcome.finishTick()).isEqualTo(14);
    assertThat(outcome.dollars()).isEqualTo(70, CENT);
  }

  @Test
  void progressSurvivesARevocationAndTheRestartIsPaidAgain() {
    GangOutcome outcome = run("greedy", Markets.of(up(6) + down(4) + up(14)), EASY);
    assertThat(outcome.finishTick()).isEqualTo(19);
    assertThat(outcome.dollars()).isEqualTo(15, CENT);
  }

  @Test
  void healthySpotIsKeptHoweverNearTheDeadlineIs() {
    GangOutcome outcome = run("UP(S)", Markets.of(up(30)), TIGHT);
    assertThat(outcome.inTime()).isTrue();
    assertThat(outcome.finishTick()).isEqualTo(29);
    assertThat(outcome.dollars()).isEqualTo(29, CENT);
  }

  @Test
  void spotThatIsTakenNearTheDeadlineGivesWayToOnDemand() {
    GangOutcome outcome = run("UP(S)", Markets.of(up(10) + down(20)), TIGHT);
    assertThat(outcome.inTime()).isTrue();
    assertThat(outcome.finishTick()).isEqualTo(30);
    assertThat(outcome.dollars()).isEqualTo(10 + 20 * 5, CENT);
  }

  @Test
  void aMoveToAnotherRegionCarriesTheCheckpoint() {
    GangOutcome outcome = run("UP(S)", Markets.of(up(5) + down(19), down(5) + up(19)), EASY);
    assertThat(outcome.migrations()).isEqualTo(1);
    assertThat(outcome.egressDollars()).isEqualTo(1, CENT);
    // 0, 480, 3 x 600, then 0, 480, and 7.4 ticks more.
    assertThat(outcome.dollars()).isEqualTo(5 + 10 + 1, CENT);
  }

  @Test
  void runningOnDemandIsLeftOnlyWhenSpotIsThere() {
    // Behind the pace at first, so on demand; ahead of it later, but there is no spot to go to.
    GangMarket market = Markets.of(down(24));
    for (String policy : List.of("UP(S)", "UP(A)", "UP(AP)")) {
      GangOutcome outcome = run(policy, market, EASY);
      assertThat(outcome.dollars()).as(policy).isEqualTo(70, CENT);
    }
  }

  @Test
  void aProbeCostsAMinuteAndOneOfTheZoneThatRunsNothing() {
    GangPolicy probing =
        gang -> {
          assertThat(gang.launchSpot(0)).isTrue();
          assertThat(gang.probe(0)).isTrue();
          assertThat(gang.probe(1)).isEqualTo(gang.tick() == 0);
        };
    GangOutcome outcome = GangSimulation.run(Markets.of(up(24), up(1) + down(23)), EASY, probing);
    assertThat(outcome.probeDollars()).isEqualTo(0.1, CENT);
    assertThat(outcome.dollars()).isEqualTo(14.1, CENT);
  }

  @Test
  void everyTickIsPaidAtItsOwnPrice() {
    double[] prices = new double[24];
    Arrays.setAll(prices, t -> t < 3 ? 6 : 12);
    boolean[] up = new boolean[24];
    Arrays.fill(up, true);
    GangMarket market = Markets.of(new boolean[][] {up}, new double[][] {prices}, 60);
    assertThat(run("UP", market, EASY).dollars()).isEqualTo(3 + 11 * 2, CENT);
  }

  @Test
  void whatWasLaunchedRunsThroughTheTick() {
    GangPolicy fickle =
        gang -> {
          gang.launchOnDemand(0);
          gang.terminate();
        };
    assertThatThrownBy(() -> GangSimulation.run(Markets.of(up(24)), EASY, fickle))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aPolicyWithoutGuardMayBeLate() {
    GangOutcome outcome = GangSimulation.runUnguarded(Markets.of(up(24)), EASY, gang -> {});
    assertThat(outcome.inTime()).isFalse();
    assertThat(outcome.finishTick()).isEqualTo(24);
    assertThat(outcome.dollars()).isZero();
  }

  @Test
  void aJobThatCannotBeDoneIsRefused() {
    GangJob late = new GangJob(14_000, 14_400, 720, 0);
    assertThatThrownBy(() -> run("UP", Markets.of(up(24)), late))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("does not fit before the deadline");
    assertThatThrownBy(() -> run("UP", Markets.of(up(23)), EASY))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("the market ends after 23");
    assertThatThrownBy(() -> GangPolicies.named("skynomat"))
        .isInstanceOfSatisfying(BadInput.class, e -> assertThat(e.wayOut()).contains("SkyNomad"));
  }

  @Test
  void aGangIsUpWhileAPoolHasAllItsNodes() {
    Trace trace =
        new Trace(
            new Pool(new Place("aws", "us-east-1", "us-east-1a"), "p3.2xlarge"),
            null,
            Duration.ofMinutes(10),
            new int[] {4, 3, 4, 0},
            4,
            new double[] {1, 2, 3, 4},
            3.0);
    GangMarket market = GangMarket.of(SpotMarket.of(List.of(trace)), 4, new double[1][1]);
    assertThat(market.up(0, 0)).isTrue();
    assertThat(market.up(0, 1)).isFalse();
    assertThat(market.run(0, 0)).isEqualTo(1);
    assertThat(market.spot(0, 2)).isEqualTo(12);
    assertThat(market.onDemand(0)).isEqualTo(12);
    GangMarket later = market.window(2, 2);
    assertThat(later.up(0, 0)).isTrue();
    assertThat(later.up(0, 1)).isFalse();
    assertThat(later.up(0, 2)).isFalse();
  }

  @Test
  void aPolicyCanBeUsedAgain() {
    RandomGangs.Case random = RandomGangs.of(new java.util.Random(7), 4, 200);
    for (GangPolicies.Entry entry : GangPolicies.all()) {
      GangPolicy policy = entry.make(random.market());
      GangOutcome first = GangSimulation.run(random.market(), random.job(), policy);
      GangOutcome second = GangSimulation.run(random.market(), random.job(), policy);
      assertThat(second).as(entry.name()).isEqualTo(first);
    }
  }
}
