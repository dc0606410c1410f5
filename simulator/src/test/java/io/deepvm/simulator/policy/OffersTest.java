package io.deepvm.simulator.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.simulator.Recovery;
import org.junit.jupiter.api.Test;

class OffersTest {

  private static final double NONE = Double.POSITIVE_INFINITY;

  @Test
  void poolsAreOrderedByPrice() {
    FakeCluster cluster = cluster(NONE);
    assertThat(seen(cluster).pool(0)).isZero();
    cluster.spotPrice[0] = 5;
    assertThat(seen(cluster).pool(0)).isEqualTo(1);
  }

  @Test
  void aPoolDearerThanOnDemandIsNotBelowIt() {
    FakeCluster cluster = cluster(NONE);
    cluster.spotPrice[1] = 20;
    Offers offers = seen(cluster);
    assertThat(offers.belowOnDemand(0)).isTrue();
    assertThat(offers.belowOnDemand(1)).isFalse();
  }

  @Test
  void theCheapestPoolIsWorthFillingToTheLastPlace() {
    Offers offers = seen(cluster(NONE));
    assertThat(offers.worthFilling(0, 0)).isEqualTo(4);
    assertThat(offers.worthFilling(0, 3)).isEqualTo(1);
    assertThat(offers.worthFilling(0, 4)).isZero();
  }

  @Test
  void withoutADeadlineOnDemandIsNotWorthItsPrice() {
    // $10 beside $3.84 to be expected later, while an hour is worth $3
    assertThat(seen(cluster(NONE)).worthFilling(2, 0)).isZero();
  }

  @Test
  void aMoveSavesTheDifferenceOfThePricesOverTheWork() {
    // two nodes, $1 an hour less, 2.5 hours of work
    Offers offers = seen(cluster(NONE));
    FakeCluster cluster = cluster(NONE);
    assertThat(offers.saving(cluster, 1, 0, 2, 1)).isCloseTo(5, within(1e-9));
    assertThat(offers.saving(cluster, 0, 1, 2, 1)).isCloseTo(-5, within(1e-9));
  }

  @Test
  void aStartOnSpotNeedsATickOfSlack() {
    assertThat(seen(cluster(NONE)).slackForStart()).isTrue();
    assertThat(seen(cluster(9601)).slackForStart()).isTrue();
    assertThat(seen(cluster(9599)).slackForStart()).isFalse();
  }

  @Test
  void aRefusalIsRememberedForTheNextLook() {
    FakeCluster cluster = cluster(NONE);
    Offers offers = seen(cluster);
    cluster.spotPrice[1] = 8;
    offers.look(cluster, cluster.fleet());
    int before = offers.worthFilling(1, 0);
    for (int i = 0; i < 1000; i++) {
      offers.asked(0, 4, 0);
    }
    offers.look(cluster, cluster.fleet());
    assertThat(before).isZero();
    assertThat(offers.worthFilling(1, 0)).isEqualTo(4);
  }

  private static FakeCluster cluster(double deadline) {
    return new FakeCluster(deadline, Recovery.SURVIVORS, FakeCluster.EVERY_STEP);
  }

  private static Offers seen(FakeCluster cluster) {
    Offers offers = new Offers(cluster);
    offers.look(cluster, cluster.fleet());
    return offers;
  }
}
