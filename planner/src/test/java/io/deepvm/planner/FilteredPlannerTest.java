package io.deepvm.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Exclusion;
import io.deepvm.catalog.GpuFilter;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.MachineFacts;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.OfferFilter;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.Vendor;
import io.deepvm.workload.Job;
import io.deepvm.workload.Profiles;
import io.deepvm.workload.Scaling;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Plans with a filter, against a catalog cut by hand and against brute force. */
class FilteredPlannerTest {

  private static final Place EAST = new Place("aws", "us-east-1", null);
  private static final Place WEST = new Place("aws", "us-west-2", null);

  private static final Listing T4 = listing("t4.large", "T4", EAST, "0.20");
  private static final Listing L4 = listing("l4.large", "L4", EAST, "0.25");
  private static final Listing A100 = listing("a100.large", "A100", WEST, "0.50");
  private static final Listing MI300X = listing("mi300x.large", "MI300X", WEST, "0.90");
  private static final Catalog MARKET =
      new Catalog("market", null, "test", List.of(T4, L4, A100, MI300X), List.of());

  private static final Goal GOAL =
      Goal.within(Money.parse("2")).withObjective(Objective.THROUGHPUT);

  private static Listing listing(String type, String gpu, Place place, String spot) {
    Machine machine =
        new Machine(
            "aws",
            type,
            "g",
            4,
            DataSize.ofGib(16),
            new Gpus(MachineFacts.gpu(gpu, null), 1),
            null,
            null,
            null,
            null);
    return new Listing(machine, place, Money.parse(spot), Money.parse(spot));
  }

  private static OfferFilter gpus(String... names) {
    return new OfferFilter(
        List.of(names).stream().map(GpuFilter::new).toList(), List.of(), Set.of());
  }

  private static OfferFilter without(String... patterns) {
    return new OfferFilter(
        List.of(), List.of(patterns).stream().map(Exclusion::new).toList(), Set.of());
  }

  private static Planning plan(OfferFilter filter, Goal goal) {
    return new FilteredPlanner(MARKET, Job.UNSTATED, filter).plan(goal);
  }

  private static Job job(Precision precision) {
    return new Job("job", precision, null, null, null, Scaling.UNMEASURED, Profiles.NONE);
  }

  private static List<String> limits(Planning planning) {
    return planning.plans().get(0).why().stream().filter(why -> why.startsWith("Limit:")).toList();
  }

  private static String worker(Planning planning) {
    return planning.plans().get(0).nodes().get(0).offer().machine().name();
  }

  @Test
  void aPlanNeverUsesWhatIsExcludedAndIsTheBestOfTheRest() {
    Predicate<Listing> excluded =
        l -> l.machine().name().equals("g0") || "b".equals(l.place().zone());
    int found = 0;
    for (long seed = 0; seed < 400; seed++) {
      RandomMarkets random = new RandomMarkets(seed);
      Catalog market = random.catalog();
      Goal goal =
          random.goal(Objective.THROUGHPUT, false).withArchitectures(Set.of("single-anchor"));
      List<Listing> rest = market.listings().stream().filter(l -> !excluded.test(l)).toList();
      Planning planning =
          new FilteredPlanner(market, RandomMarkets.JOB, without("g0", "aws/r1/b")).plan(goal);
      BruteForce.Found best =
          rest.isEmpty()
              ? null
              : new BruteForce(market.with(rest), RandomMarkets.JOB, goal, "single-anchor").best();
      assertThat(planning.plans().isEmpty()).as("seed %d", seed).isEqualTo(best == null);
      if (best != null) {
        found++;
        Plan plan = planning.plans().get(0);
        assertThat(plan.nodes())
            .noneMatch(
                g ->
                    g.offer().machine().name().equals("g0")
                        || "b".equals(g.offer().place().zone()));
        assertThat(plan.score()).isCloseTo(best.score(), within(1e-9 * best.score()));
      }
    }
    assertThat(found).isGreaterThan(40);
  }

  @Test
  void theExclusionIsNamedAsALimitExactlyWhereItCostsSpeed() {
    int named = 0;
    int silent = 0;
    for (long seed = 0; seed < 300; seed++) {
      RandomMarkets random = new RandomMarkets(seed);
      Catalog market = random.catalog();
      Goal goal = random.goal(Objective.THROUGHPUT, false);
      Planning with = new FilteredPlanner(market, RandomMarkets.JOB, without("g0")).plan(goal);
      if (!with.plans().isEmpty()) {
        Planning free = Architectures.plan(market, RandomMarkets.JOB, goal);
        double gain =
            Objects.requireNonNull(free.plans().get(0).predicted().flops())
                    / Objects.requireNonNull(with.plans().get(0).predicted().flops())
                - 1;
        boolean says = limits(with).stream().anyMatch(line -> line.contains("the exclusion (g0)"));
        assertThat(says).as("seed %d, gain %s", seed, gain).isEqualTo(gain >= 0.01);
        named += says ? 1 : 0;
        silent += says ? 0 : 1;
      }
    }
    assertThat(named).isGreaterThan(10);
    assertThat(silent).isGreaterThan(10);
  }

  @Test
  void withoutAFilterThePlanIsTheUsualOne() {
    assertThat(plan(OfferFilter.NONE, GOAL))
        .isEqualTo(Architectures.plan(MARKET, Job.UNSTATED, GOAL));
    assertThat(plan(gpus("*"), GOAL).plans().get(0).nodes())
        .isEqualTo(plan(OfferFilter.NONE, GOAL).plans().get(0).nodes());
  }

  @Test
  void theGpuFilterIsNamedWithThePlanThatItKeepsOut() {
    Planning planning = plan(gpus("T4", "L4"), GOAL);
    assertThat(worker(planning)).isEqualTo("l4.large");
    assertThat(limits(planning))
        .contains(
            "Limit: the GPU filter (T4, L4); without it, 1 x mi300x.large spot + 1 x mi300x.large"
                + " on-demand in aws/us-west-2 is 202 % faster at $1.80/h.");
    assertThat(planning.leftOut())
        .containsEntry("GPU workers without one of the GPUs asked for (T4, L4)", 2);
  }

  @Test
  void theVendorAndThePlaceAreNamedToo() {
    OfferFilter nvidia = new OfferFilter(List.of(), List.of(), Set.of(Vendor.NVIDIA));
    assertThat(limits(plan(nvidia, GOAL)).toString()).contains("the vendor filter (nvidia)");
    Goal east =
        GOAL.withOffers(GOAL.offers().withPlaces(List.of(new PlaceFilter("aws/us-east-1"))));
    assertThat(limits(plan(OfferFilter.NONE, east)).toString())
        .contains("the place filter (aws/us-east-1); without it");
  }

  @Test
  void theMemoryAndTheQuotaAreNamedToo() {
    Job large = job(Precision.FP16).withGpuMemory(DataSize.ofGib(20));
    Catalog cheapT4 =
        MARKET.with(List.of(listing("t4.large", "T4", EAST, "0.01"), L4)).withQuotas(List.of());
    assertThat(limits(new FilteredPlanner(cheapT4, large, OfferFilter.NONE).plan(GOAL)).toString())
        .contains("the GPU memory (20 GiB a replica); without it");
    Catalog limited =
        MARKET.withQuotas(
            List.of(
                new Quota(PlaceFilter.ANYWHERE, Set.of("g"), Market.SPOT, Quota.Unit.NODES, 1)));
    assertThat(limits(new FilteredPlanner(limited, Job.UNSTATED, gpus("T4")).plan(GOAL)).toString())
        .contains("the quota; without it");
  }

  @Test
  void aFilterThatLeavesNothingIsInfeasibleAndSaysWhichToWiden() {
    Goal east =
        GOAL.withOffers(GOAL.offers().withPlaces(List.of(new PlaceFilter("aws/us-east-1"))));
    Planning planning = plan(gpus("A100"), east);
    Planning.Infeasible infeasible = Objects.requireNonNull(planning.infeasible());
    assertThat(infeasible.reason())
        .isEqualTo("No GPU worker in aws/us-east-1 passes the filter: GPU A100.");
    assertThat(infeasible.relax(Setting::name))
        .anyMatch(way -> way.startsWith("widen GPU: without it, "))
        .anyMatch(way -> way.startsWith("widen PLACE: without it, "))
        .contains("left out: 3 GPU workers without one of the GPUs asked for (A100)");
  }

  @Test
  void aBudgetThatOnlyTheFilterMakesTooSmallNamesTheFilter() {
    Planning planning =
        plan(gpus("MI300X"), Goal.within(Money.parse("1")).withObjective(Objective.THROUGHPUT));
    List<String> relax = Objects.requireNonNull(planning.infeasible()).relax(Setting::name);
    assertThat(relax).hasSize(2);
    assertThat(relax.get(0)).isEqualTo("raise MAX_PRICE_PER_HOUR from $1.00 to $1.80");
    assertThat(relax.get(1)).startsWith("widen GPU: without it, ").endsWith("meets the goal");
  }

  @Test
  void onePlaceOfTwoMayBeExcludedAltogether() {
    Goal both =
        GOAL.withOffers(
            GOAL.offers()
                .withPlaces(
                    List.of(new PlaceFilter("aws/us-east-1"), new PlaceFilter("aws/us-west-2"))));
    Planning planning = plan(without("aws/us-west-2"), both);
    assertThat(planning.plans()).isNotEmpty();
    assertThat(planning.goal()).isEqualTo(both);
  }

  @Test
  void eightBitsLeaveOutTheGpusWithoutThem() {
    Planning planning =
        new FilteredPlanner(MARKET, job(Precision.FP8), OfferFilter.NONE).plan(GOAL);
    assertThat(planning.leftOut()).containsEntry("GPU workers without fp8", 2);
    assertThat(planning.plans().get(0).predicted().flops())
        .isCloseTo(2 * 2614.9e12 / 1.02, within(1e12));
  }

  @Test
  void aGpuWithoutBf16IsPlannedAsFp16AndSaysSo() {
    Planning planning =
        new FilteredPlanner(MARKET, job(Precision.BF16), gpus("T4", "L4")).plan(GOAL);
    assertThat(planning.notes())
        .containsExactly("No bf16 on T4: planned at the speed of fp16, which needs loss scaling.");
    assertThat(new FilteredPlanner(MARKET, job(Precision.BF16), gpus("L4")).plan(GOAL).notes())
        .isEmpty();
  }
}
