package io.deepvm.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Market;
import java.util.Set;
import java.util.function.UnaryOperator;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** The planner against a brute force that builds every cluster of small random markets. */
class PlannerProperties {

  /** A build must not depend on luck; take the seed away to look for more. */
  private static final String SEED = "20261115";

  private enum Outcome {
    INFEASIBLE,
    ONE_TYPE,
    SEVERAL_TYPES
  }

  @Property(tries = 4000, seed = SEED)
  void theOptimumOfOneWorkerTypeIsThatOfBruteForce(
      @ForAll long seed, @ForAll Objective objective, @ForAll boolean tiering) {
    Statistics.collect(compare(seed, objective, tiering, false));
    Statistics.coverage(share -> share.check(Outcome.ONE_TYPE).percentage(p -> p > 30));
  }

  @Property(tries = 1000, seed = SEED)
  void theOptimumOfMixedWorkerTypesIsThatOfBruteForce(
      @ForAll long seed, @ForAll Objective objective, @ForAll boolean tiering) {
    Statistics.collect(compare(seed, objective, tiering, true));
    Statistics.coverage(share -> share.check(Outcome.SEVERAL_TYPES).percentage(p -> p > 4));
  }

  /** Equal worth, once computed as 40/0.02 and once as 80/0.04 in floating point. */
  @Example
  void clustersThatDifferInTheLastBitAreTiesAndTheCheaperWins() {
    assertThat(compare(-1229301, Objective.FLOPP, true, false)).isEqualTo(Outcome.ONE_TYPE);
  }

  /** 25,500 s at $0.24/h are $1.70 to the last bit, which is what may be spent. */
  @Example
  void aCostThatIsExactlyTheMostAllowedIsAllowed() {
    assertThat(compare(-6801507, Objective.FLOPP, false, true)).isEqualTo(Outcome.ONE_TYPE);
  }

  /** A curve that is negative at two nodes must keep its type out, not the whole size. */
  @Example
  void aTypeThatStandsStillAtThisSizeIsNotMixedIn() {
    assertThat(compare(1563, Objective.FLOPP, true, true)).isEqualTo(Outcome.ONE_TYPE);
  }

  /** On the on-demand market alone, or on the better of the two. */
  @Property(tries = 400, seed = SEED)
  void theOptimumOnEveryMarketIsThatOfBruteForce(
      @ForAll long seed, @ForAll Objective objective, @ForAll boolean any, @ForAll boolean mix) {
    Set<Market> markets = any ? Set.of(Market.values()) : Set.of(Market.ON_DEMAND);
    // Which price Z takes for the anchor of a mix is not settled.
    boolean mixed = mix && objective != Objective.FLOPP;
    Statistics.collect(
        compare(
            seed,
            objective,
            false,
            mixed,
            goal -> goal.withOffers(goal.offers().withMarkets(markets))));
    Statistics.coverage(share -> share.check(Outcome.ONE_TYPE).percentage(p -> p > 30));
  }

  @Property(tries = 1000, seed = SEED)
  void theOptimumOfWorkersThatAreWorthTheirPriceIsThatOfBruteForce(
      @ForAll long seed, @ForAll Objective objective, @ForAll boolean tiering) {
    Statistics.collect(
        compare(
            seed,
            objective,
            tiering,
            false,
            goal -> goal.withLastWorker(LastWorker.WORTH_ITS_PRICE)));
    Statistics.coverage(share -> share.check(Outcome.ONE_TYPE).percentage(p -> p > 30));
  }

  private static Outcome compare(long seed, Objective objective, boolean tiering, boolean mix) {
    return compare(seed, objective, tiering, mix, goal -> goal);
  }

  private static Outcome compare(
      long seed, Objective objective, boolean tiering, boolean mix, UnaryOperator<Goal> changed) {
    RandomMarkets random = new RandomMarkets(seed);
    Catalog catalog = random.catalog();
    String architecture = tiering ? "tiering" : "single-anchor";
    Goal any = random.goal(objective, mix);
    Goal goal = changed.apply(any.withArchitectures(Set.of(architecture)));
    BruteForce.Found expected =
        new BruteForce(catalog, RandomMarkets.JOB, goal, architecture).best();
    Planning planning;
    try {
      planning = new Planner(catalog, RandomMarkets.JOB).plan(goal);
    } catch (BadInput quotaAllowsNothing) {
      assertThat(quotaAllowsNothing).hasMessageContaining("quota");
      assertThat(expected).isNull();
      return Outcome.INFEASIBLE;
    }
    if (expected == null) {
      assertThat(planning.plans()).isEmpty();
      assertThat(planning.infeasible()).isNotNull();
      return Outcome.INFEASIBLE;
    }
    assertThat(planning.plans()).isNotEmpty();
    Plan best = planning.plans().get(0);
    assertThat(best.score()).isCloseTo(expected.score(), within(1e-8 * expected.score()));
    if (!mix) {
      assertThat(best.pricePerHour()).isEqualTo(expected.price());
    }
    assertThat(best.gap()).isZero();
    for (Plan plan : planning.plans()) {
      assertThat(BruteForce.violations(plan, goal, catalog)).isEmpty();
    }
    long types =
        best.nodes().stream()
            .map(group -> group.offer().machine())
            .filter(machine -> machine.trains())
            .distinct()
            .count();
    return types > 1 ? Outcome.SEVERAL_TYPES : Outcome.ONE_TYPE;
  }
}
