package io.deepvm.simulator;

import static io.deepvm.simulator.Markets.flat;
import static io.deepvm.simulator.Markets.kept;
import static io.deepvm.simulator.Markets.scenario;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.policy.Elastic;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ElasticTest {

  private static final Checkpointing EVERY_STEP = kept(0, 0, 0, new SaveRule.EveryStep());
  private static final double NO_DEADLINE = Double.POSITIVE_INFINITY;

  @Test
  void takesTheCheapestPoolWhileItLasts() {
    SpotMarket market = Markets.of(flat(4, 100), flat(4, 100));
    Outcome outcome = run(scenario(4, 36_000, 18_000, EVERY_STEP), market);
    assertThat(outcome.cost()).isEqualTo(Money.parse("30"));
    assertThat(outcome.metDeadline()).isTrue();
  }

  @Test
  void takesTheRestFromTheNextPool() {
    SpotMarket market = Markets.of(flat(3, 100), flat(4, 100));
    Outcome outcome = run(scenario(4, 36_000, 9_700, EVERY_STEP), market);
    assertThat(outcome.cost().dollars()).isBetween(30.0, 40.0);
    assertThat(outcome.bill()).doesNotContainKey(Charge.ON_DEMAND);
    assertThat(outcome.metDeadline()).isTrue();
  }

  @Test
  void goesOnDemandInTimeWhenThereIsNoSpotNode() {
    Outcome outcome = run(scenario(16, 576_000, 45_000, EVERY_STEP), Markets.of(flat(0, 100)));
    assertThat(outcome.metDeadline()).isTrue();
    assertThat(outcome.cost()).isEqualTo(Money.parse("1600"));
  }

  @Test
  void whateverTickTheMarketDiesAtTheDeadlineIsMet() {
    for (int last = 0; last < 80; last++) {
      int[] counts = flat(0, 200);
      Arrays.fill(counts, 0, last, 16);
      Outcome outcome =
          run(
              scenario(16, 576_000, 39_600, kept(5, 60, 30, new SaveRule.Fixed(1200))),
              Markets.of(counts));
      assertThat(outcome.metDeadline()).as("dies at tick %d", last).isTrue();
    }
  }

  @Test
  void withoutADeadlineItWaitsForSpotNodesAndFinishes() {
    int[] counts = flat(4, 400);
    Arrays.fill(counts, 5, 20, 0);
    Outcome outcome = run(scenario(4, 144_000, NO_DEADLINE, EVERY_STEP), Markets.of(counts));
    assertThat(outcome.finished()).isTrue();
    assertThat(outcome.cost().dollars()).isLessThan(200);
  }

  @Test
  void rentsFewerWhereTheLastMembersAddLittle() {
    double[] speeds = {1, 1.9, 2.1, 2.2};
    Scenario linear = scenario(4, 36_000, 200_000, EVERY_STEP);
    Scenario concave =
        new Scenario(
            new Throughput.ByCount(speeds),
            linear.work(),
            4,
            linear.deadlineSeconds(),
            -1,
            0,
            Money.ZERO,
            Recovery.SURVIVORS,
            EVERY_STEP,
            linear.startup(),
            linear.billing(),
            linear.egressUsdPerGb());
    Outcome outcome = run(concave, Markets.of(flat(4, 400)));
    // 10 h of one member, or 5.3 h of two; four would take 4.5 h and cost 54.5.
    assertThat(outcome.cost().dollars()).isLessThan(33);
    assertThat(outcome.metDeadline()).isTrue();
  }

  private static Outcome run(Scenario scenario, SpotMarket market) {
    return Simulation.run(scenario, market, 0, new Elastic(), 1, null);
  }
}
