package io.deepvm.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.catalog.Catalog;
import io.deepvm.units.BadInput;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

class PlannerProperties {

  @Property(tries = 4000)
  void theOptimumOfOneWorkerTypeIsThatOfBruteForce(
      @ForAll long seed, @ForAll Objective objective, @ForAll boolean tiering) {
    compare(seed, objective, tiering, false);
  }

  @Property(tries = 600)
  void theOptimumOfMixedWorkerTypesIsThatOfBruteForce(
      @ForAll long seed, @ForAll Objective objective, @ForAll boolean tiering) {
    compare(seed, objective, tiering, true);
  }

  /** Equal worth, once computed as 40/0.02 and once as 80/0.04 in floating point. */
  @Example
  void clustersThatDifferInTheLastBitAreTiesAndTheCheaperWins() {
    compare(-1229301, Objective.FLOPP, true, false);
  }

  private static void compare(long seed, Objective objective, boolean tiering, boolean mix) {
    RandomMarkets random = new RandomMarkets(seed);
    Catalog catalog = random.catalog();
    String architecture = tiering ? "tiering" : "single-anchor";
    Goal any = random.goal(objective, mix);
    Goal goal =
        new Goal(
            any.maxPricePerHour(),
            objective,
            any.places(),
            Set.of(architecture),
            any.checkpoint(),
            any.anchorSlots(),
            any.anchorMemory(),
            any.checkpointInterval(),
            any.minMarginalGain(),
            any.deadline(),
            any.maxCost(),
            mix,
            3);
    BruteForce.Found expected =
        new BruteForce(catalog, RandomMarkets.JOB, goal, architecture).best();
    Planning planning;
    try {
      planning = new Planner(catalog, RandomMarkets.JOB).plan(goal);
    } catch (BadInput quotaAllowsNothing) {
      assertThat(quotaAllowsNothing).hasMessageContaining("quota");
      assertThat(expected).isNull();
      return;
    }
    Statistics.label("has a plan").collect(expected != null);
    Statistics.label("has a plan").coverage(share -> share.check(true).percentage(p -> p > 30));
    if (expected == null) {
      assertThat(planning.plans()).isEmpty();
      assertThat(planning.infeasible()).isNotNull();
      return;
    }
    assertThat(planning.plans()).isNotEmpty();
    Plan best = planning.plans().get(0);
    assertThat(best.score()).isCloseTo(expected.score(), within(1e-8 * expected.score()));
    if (!mix) {
      assertThat(best.pricePerHour()).isEqualTo(expected.price());
    }
    assertThat(best.gap()).isZero();
    if (mix) {
      long types =
          best.nodes().stream()
              .filter(g -> g.offer().machine().trains())
              .map(g -> g.offer().machine())
              .distinct()
              .count();
      Statistics.label("several types").collect(types > 1);
      Statistics.label("several types")
          .coverage(share -> share.check(true).percentage(p -> p > 10));
    }
    for (Plan plan : planning.plans()) {
      assertThat(BruteForce.violations(plan, goal, catalog)).isEmpty();
    }
  }
}
