package io.deepvm.simulator;

import static io.deepvm.simulator.Markets.flat;
import static io.deepvm.simulator.Markets.kept;
import static io.deepvm.simulator.Markets.scenario;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.market.SpotMarket;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.simulator.gang.GangPolicies;
import io.deepvm.simulator.policy.Policies;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DrivenGangTest {

  private static final Checkpointing EVERY_STEP = kept(0, 0, 0, new SaveRule.EveryStep());

  @Test
  void aDeadlineFarOffLeavesTimeToWaitForSpotNodes() {
    // an hour and a half of work; spot nodes come after ten hours
    int[][] counts = new int[13][];
    Arrays.fill(counts, flat(4, 300));
    Arrays.fill(counts[0], 0, 60, 0);
    Outcome near = run(scenario(4, 21_600, 18_000, EVERY_STEP), Markets.of(counts));
    assertThat(near.bill()).containsKey(Charge.ON_DEMAND);
    Outcome far = run(scenario(4, 21_600, 72_000, EVERY_STEP), Markets.of(counts));
    assertThat(far.bill()).doesNotContainKey(Charge.ON_DEMAND);
    assertThat(far.metDeadline()).isTrue();
  }

  @Test
  void aGangOnDemandThatLosesANodeToACrashIsMadeWholeAgain() {
    // No spot nodes, 50 h of work of 4 nodes, and a crash every 5 h on average.
    int[][] none = new int[13][];
    Arrays.fill(none, flat(0, 600));
    SpotMarket market = Markets.of(none).losing(cloud -> new UnannouncedLosses(0, 0.05));
    Scenario plain = scenario(4, 720_000, 250_000, kept(0, 0, 0, new SaveRule.Fixed(600)));
    Scenario gang =
        new Scenario(
            new Throughput.Gang(4, 4),
            plain.work(),
            4,
            plain.deadlineSeconds(),
            -1,
            0,
            Money.ZERO,
            Recovery.RESTART,
            plain.checkpointing(),
            plain.startup(),
            plain.billing(),
            plain.egressUsdPerGb());
    int crashes = 0;
    for (int seed = 1; seed <= 40; seed++) {
      Outcome outcome = run(gang, market, seed);
      assertThat(outcome.finished()).isTrue();
      crashes += outcome.revocations();
    }
    // 40 runs of 50 h of 4 nodes and a little more: 400 crashes, with a deviation of 20.
    assertThat(crashes).isBetween(330, 480);
  }

  private static Outcome run(Scenario scenario, SpotMarket market) {
    return run(scenario, market, 1);
  }

  private static Outcome run(Scenario scenario, SpotMarket market, long seed) {
    Policy greedy = Policies.driven(GangPolicies.named("greedy"), scenario, new Future(market, 0));
    return Simulation.run(scenario, market, 0, greedy, seed, null);
  }
}
