package io.deepvm.simulator.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class GangBoundProperties {

  @Property(tries = 400, seed = "20261115")
  void noPolicyPaysLessThanTheBoundOrIsLate(@ForAll long seed) {
    RandomGangs.Case random = RandomGangs.of(new Random(seed), 4, 60);
    double bound = GangBound.of(random.market(), random.job()).dollars();
    for (GangPolicies.Entry entry : GangPolicies.all()) {
      GangOutcome outcome =
          GangSimulation.run(random.market(), random.job(), entry.make(random.market()));
      assertThat(outcome.inTime()).as(entry.name()).isTrue();
      assertThat(outcome.dollars()).as(entry.name()).isGreaterThanOrEqualTo(bound * (1 - 1e-12));
    }
  }

  @Property(tries = 300, seed = "20261115")
  void thePlanBehindTheBoundCostsJustThat(@ForAll long seed) {
    RandomGangs.Case random = RandomGangs.of(new Random(seed), 4, 80);
    GangBound bound = GangBound.of(random.market(), random.job());
    GangOutcome outcome =
        GangSimulation.runUnguarded(
            random.market(),
            random.job(),
            new Clairvoyant(random.market(), Double.POSITIVE_INFINITY));
    if (bound.isExact()) {
      assertThat(outcome.inTime()).isTrue();
      assertThat(outcome.dollars()).isCloseTo(bound.dollars(), within(1e-9 * bound.dollars()));
    }
  }

  @Property(tries = 300, seed = "20261115")
  void theBoundIsTheBestOfAllThatCanBeDone(@ForAll long seed) {
    RandomGangs.Case random = RandomGangs.of(new Random(seed), 2, 7);
    GangBound bound = GangBound.of(random.market(), random.job());
    double least = new BruteForce(random.market(), random.job()).leastDollars();
    if (bound.isExact()) {
      assertThat(bound.dollars()).isCloseTo(least, within(1e-9 * least));
    } else {
      assertThat(bound.dollars()).isLessThanOrEqualTo(least * (1 + 1e-12));
    }
  }

  @Property(tries = 300, seed = "20261115")
  void moreCapacityNeverRaisesTheBound(@ForAll long seed) {
    Random dice = new Random(seed);
    RandomGangs.Case random = RandomGangs.of(dice, 4, 60);
    double before = GangBound.of(random.market(), random.job()).dollars();
    for (int i = 0; i < 5; i++) {
      boolean[] zone = random.up()[dice.nextInt(random.up().length)];
      zone[dice.nextInt(zone.length)] = true;
    }
    double after = GangBound.of(random.market(), random.job()).dollars();
    assertThat(after).isLessThanOrEqualTo(before * (1 + 1e-12));
  }

  @Property(tries = 500, seed = "20261115")
  void whateverAGuardedPolicyDoesItIsInTime(@ForAll long seed) {
    Random dice = new Random(seed);
    RandomGangs.Case random = RandomGangs.of(dice, 4, 60);
    GangPolicy wild =
        gang -> {
          int zone = dice.nextInt(gang.zones());
          switch (dice.nextInt(6)) {
            case 0 -> gang.launchOnDemand(zone);
            case 1 -> gang.terminate();
            case 2 -> gang.probe(zone);
            default -> gang.launchSpot(zone);
          }
        };
    GangOutcome outcome = GangSimulation.run(random.market(), random.job(), wild);
    assertThat(outcome.inTime()).isTrue();
    assertThat(outcome.dollars())
        .isGreaterThanOrEqualTo(
            GangBound.of(random.market(), random.job()).dollars() * (1 - 1e-12));
  }
}
