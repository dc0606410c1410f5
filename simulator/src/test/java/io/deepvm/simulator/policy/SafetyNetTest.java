package io.deepvm.simulator.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.checkpoint.SaveRule;
import io.deepvm.simulator.Checkpointing;
import io.deepvm.simulator.Recovery;
import org.junit.jupiter.api.Test;

class SafetyNetTest {

  /** Stops for 5 s, is safe after 60 s, and is read back in 30 s. */
  private static final Checkpointing EVERY_20_MIN =
      FakeCluster.saving(5, 60, 30, new SaveRule.Fixed(1200));

  @Test
  void fourSpotMembersCountUntilTheNextTick() {
    // 36,000 units less 4 x 600 until the tick; the rest takes 8,400 s on demand after it
    assertThat(holds(9000, 4)).isTrue();
    assertThat(holds(8999, 4)).isFalse();
  }

  @Test
  void withoutMembersTheTickIsLost() {
    assertThat(holds(9600, 0)).isTrue();
    assertThat(holds(9599, 0)).isFalse();
  }

  @Test
  void allWorkersOnDemandHoldAnyDeadline() {
    FakeCluster cluster = new FakeCluster(1, Recovery.SURVIVORS, FakeCluster.EVERY_STEP);
    assertThat(observed(cluster).holds(cluster, 4, 0)).isTrue();
    assertThat(observed(cluster).holds(cluster, 3, 3)).isFalse();
  }

  @Test
  void withoutADeadlineNothingCanFail() {
    assertThat(holds(Double.POSITIVE_INFINITY, 0)).isTrue();
  }

  @Test
  void itWillHoldWhileATickAndAColdStartAreLeft() {
    FakeCluster cluster = new FakeCluster(9600, Recovery.SURVIVORS, FakeCluster.EVERY_STEP);
    cluster.spot[0] = 4;
    assertThat(observed(cluster).willHold(cluster, 0, 0)).isTrue();
    FakeCluster later = new FakeCluster(9599, Recovery.SURVIVORS, FakeCluster.EVERY_STEP);
    later.spot[0] = 4;
    assertThat(observed(later).willHold(later, 0, 0)).isFalse();
  }

  @Test
  void aLossUndoesHalfAnIntervalAndTheReadingBack() {
    FakeCluster cluster = new FakeCluster(20_000, Recovery.RESTART, EVERY_20_MIN);
    assertThat(observed(cluster).undoneHours(cluster, 8)).isCloseTo(630.0 / 3600, within(1e-12));
    FakeCluster survivors = new FakeCluster(20_000, Recovery.SURVIVORS, EVERY_20_MIN);
    assertThat(observed(survivors).undoneHours(survivors, 8)).isZero();
  }

  @Test
  void theReserveIsAColdStartAnIntervalAndATick() {
    FakeCluster cluster = new FakeCluster(20_000, Recovery.RESTART, EVERY_20_MIN);
    assertThat(observed(cluster).reserveSeconds(cluster)).isEqualTo(30 + 30 + 1200 + 600);
  }

  @Test
  void theCheapestPoolOnDemandIsThePlace() {
    FakeCluster cluster = new FakeCluster(20_000, Recovery.SURVIVORS, FakeCluster.EVERY_STEP);
    cluster.onDemandPrice[1] = 8;
    SafetyNet net = observed(cluster);
    assertThat(net.place()).isEqualTo(1);
    assertThat(net.fullSpeed()).isEqualTo(4);
    assertThat(net.speed(cluster, 3)).isEqualTo(3);
    assertThat(net.speed(cluster, 0)).isZero();
  }

  private static boolean holds(double deadline, int spot) {
    FakeCluster cluster = new FakeCluster(deadline, Recovery.SURVIVORS, FakeCluster.EVERY_STEP);
    cluster.spot[0] = spot;
    return observed(cluster).holds(cluster, 0, 0);
  }

  private static SafetyNet observed(FakeCluster cluster) {
    SafetyNet net = new SafetyNet(cluster.scenario, cluster.pools());
    net.observe(cluster, cluster.fleet());
    return net;
  }
}
