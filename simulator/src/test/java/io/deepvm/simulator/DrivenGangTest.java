package io.deepvm.simulator;

import static io.deepvm.simulator.Markets.flat;
import static io.deepvm.simulator.Markets.kept;
import static io.deepvm.simulator.Markets.scenario;
import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.gang.GangPolicies;
import io.deepvm.simulator.policy.Policies;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DrivenGangTest {

  private static final Checkpointing EVERY_STEP = kept(0, 0, 0, new Interval.Fixed(0));

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

  private static Outcome run(Scenario scenario, SpotMarket market) {
    Policy greedy = Policies.driven(GangPolicies.named("greedy"), scenario, new Future(market, 0));
    return Simulation.run(scenario, market, 0, greedy, 1, null);
  }
}
