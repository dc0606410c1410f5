package io.deepvm.simulator.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.simulator.Recovery;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class PoolRecordsTest {

  private static final Offset<Double> EXACTLY = within(1e-9);
  private static final double LONG_WORK = 1000;

  private final FakeCluster cluster =
      new FakeCluster(Double.POSITIVE_INFINITY, Recovery.SURVIVORS, FakeCluster.EVERY_STEP);
  private final PoolRecords records = new PoolRecords(2, 4, false);

  @Test
  void anUntriedPoolIsBelievedToLoseNodesEveryEightHours() {
    records.observe(cluster, LONG_WORK);
    assertThat(records.usualLife(0)).isEqualTo(PoolRecords.BELIEVED_LIFE_HOURS);
    assertThat(records.life(0)).isEqualTo(PoolRecords.BELIEVED_LIFE_HOURS);
    assertThat(records.share(0)).isCloseTo(0.7, EXACTLY);
  }

  @Test
  void anHourWithoutLossLengthensTheLife() {
    anHourPasses(records, 4);
    // two believed losses in 16 hours, none in the hour that passed
    assertThat(records.usualLife(0)).isCloseTo(17.0 / 2, EXACTLY);
    assertThat(records.life(0)).isCloseTo(17.0 / 2, EXACTLY);
    // 1.4 of 2 believed hours, and the hour that passed
    assertThat(records.share(0)).isCloseTo(2.4 / 3, EXACTLY);
    assertThat(records.usualLife(1)).isEqualTo(PoolRecords.BELIEVED_LIFE_HOURS);
  }

  @Test
  void theLossOfAllNodesShortensTheLife() {
    anHourPasses(records, 0);
    assertThat(records.usualLife(0)).isCloseTo((16 + 0.3) / 3, EXACTLY);
    // 0.6 believed losses in 6 calm hours, and one in the hour that passed
    assertThat(records.life(0)).isCloseTo(7 / 1.6, EXACTLY);
    assertThat(records.share(0)).isCloseTo(1.4 / 3, EXACTLY);
  }

  @Test
  void whereAllRestartOneLostNodeCountsAsAll() {
    PoolRecords restart = new PoolRecords(2, 4, true);
    anHourPasses(restart, 3);
    assertThat(restart.usualLife(0)).isCloseTo((16 + 0.3) / 3, EXACTLY);
    cluster.now = 0;
    anHourPasses(records, 3);
    assertThat(records.usualLife(0)).isCloseTo((16 + Math.pow(0.3, 0.25)) / 2.25, EXACTLY);
  }

  @Test
  void aBurstOfLossesIsForgotten() {
    anHourPasses(records, 0);
    assertThat(records.life(0)).isLessThan(records.usualLife(0));
    cluster.now += 10 * 3600;
    records.observe(cluster, LONG_WORK);
    assertThat(records.life(0)).isEqualTo(records.usualLife(0));
  }

  @Test
  void aRefusalLowersTheShare() {
    records.refused(1, 4, 1);
    assertThat(records.share(1)).isCloseTo(1.4 / 3, EXACTLY);
    assertThat(records.share(0)).isCloseTo(0.7, EXACTLY);
  }

  @Test
  void noLifeIsLongerThanTheWork() {
    records.observe(cluster, 3);
    assertThat(records.usualLife(0)).isEqualTo(3);
    assertThat(records.life(0)).isEqualTo(3);
  }

  /** Holds four nodes of the first pool for an hour, after which some are left. */
  private void anHourPasses(PoolRecords seen, int left) {
    cluster.spot[0] = 4;
    seen.remember(cluster);
    cluster.now += 3600;
    cluster.spot[0] = left;
    seen.observe(cluster, LONG_WORK);
  }
}
