package io.deepvm.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Precision;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.SpeedupCurve;
import io.deepvm.catalog.Vendor;
import io.deepvm.workload.Job;
import io.deepvm.workload.Profiles;
import io.deepvm.workload.Scaling;
import io.deepvm.workload.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The planner on a handful of the paper's machines, whose optima can be checked by hand. */
class PlannerTest {

  private static final Place VIRGINIA = new Place("aws", "us-east-1", null);

  private static final Machine G4DN =
      gpu("g4dn.xlarge", 25, 377, new SpeedupCurve(0.1338806402, 12.87424514, 6.176666667));
  private static final Machine G5 =
      gpu("g5.xlarge", 10, 696, new SpeedupCurve(0.08533428072, 20.06669931, 4.962225551));
  private static final Machine T3 = cpu("t3.xlarge", "t", 16, 5);
  private static final Machine C5 = cpu("c5.xlarge", "c", 8, 10);

  private static final List<Listing> LISTINGS =
      List.of(
          new Listing(G4DN, VIRGINIA, Money.parse("0.1578"), Money.parse("0.526")),
          new Listing(G5, VIRGINIA, Money.parse("0.3018"), Money.parse("1.006")),
          new Listing(T3, VIRGINIA, Money.parse("0.1033"), Money.parse("0.1664")),
          new Listing(C5, VIRGINIA, Money.parse("0.0999"), Money.parse("0.17")));

  private static final Job JOB =
      new Job(
          "test", Precision.FP16, null, null, new Work(1e6, 1), Scaling.UNMEASURED, Profiles.NONE);

  @Test
  void thePapersExampleAtThreeDollarsIsSeventeenWorkersAndOneAnchor() {
    Plan best = plan(catalog(), within("3")).plans().get(0);
    assertThat(best.architecture()).isEqualTo("tiering");
    assertThat(Explainer.describe(best.nodes()))
        .isEqualTo("17 x g4dn.xlarge spot + 1 x c5.xlarge on-demand");
    assertThat(best.pricePerHour()).isEqualTo(Money.parse("2.8526"));
    assertThat(best.score()).isCloseTo(145432237.32, offset(0.01));
    assertThat(best.predicted().speedup()).isCloseTo(3.92, offset(0.005));
  }

  @Test
  void alternativesDifferInWorkersOrArchitectureNotInAnchorsAlone() {
    List<Plan> plans = plan(catalog(), within("3")).plans();
    assertThat(plans).hasSize(3);
    assertThat(
            plans.stream().map(p -> p.architecture() + p.nodes().get(0).offer().machine().name()))
        .doesNotHaveDuplicates();
  }

  @Test
  void theReasonsNameTheLimitTheLastWorkerTheRunnerUpAndTheNextBudget() {
    List<String> why = plan(catalog(), within("3")).plans().get(0).why();
    assertThat(why).anyMatch(line -> line.startsWith("Limit: the budget; 18 workers would cost"));
    assertThat(why).anyMatch(line -> line.startsWith("Last worker: adds 5.9 % for $0.1578/h"));
    assertThat(why).anyMatch(line -> line.startsWith("Runner-up: 15 x g4dn.xlarge spot"));
    assertThat(why)
        .anyMatch(line -> line.contains("down to $2.8526/h; from $3.0104/h on, 18 x g4dn.xlarge"));
  }

  @Test
  void theBudgetThatIsSaidToChangeTheAnswerDoesAndOneMicroDollarLessDoesNot() {
    Goal goal = within("3");
    String changed = Explainer.describe(plan(catalog(), within("3.0104")).plans().get(0).nodes());
    assertThat(changed).startsWith("18 x g4dn.xlarge");
    assertThat(plan(catalog(), within("3.010399")).plans().get(0).nodes())
        .isEqualTo(plan(catalog(), goal).plans().get(0).nodes());
  }

  @Test
  void theParetoFrontRisesInPriceAndSpeedAndHoldsTheFastest() {
    Planning planning = plan(catalog(), within("6"));
    List<Plan> front = planning.paretoFront();
    for (int i = 1; i < front.size(); i++) {
      assertThat(front.get(i).pricePerHour()).isGreaterThan(front.get(i - 1).pricePerHour());
      assertThat(front.get(i).predicted().flops())
          .isGreaterThan(front.get(i - 1).predicted().flops());
    }
    Plan fastest = plan(catalog(), goal("6", Objective.THROUGHPUT)).plans().get(0);
    assertThat(front.get(front.size() - 1).nodes()).isEqualTo(fastest.nodes());
  }

  @Test
  void aLeastMarginalGainStopsBuyingNodesThatAddNextToNothing() {
    Planning all = plan(catalog(), within("12"));
    Goal thrifty = with(within("12"), 0.03, null, null);
    Planning stopped = plan(catalog(), thrifty);
    Plan best = stopped.plans().get(0);
    assertThat(best.pricePerHour()).isLessThan(all.plans().get(0).pricePerHour());
    assertThat(best.why()).anyMatch(line -> line.contains("less than the 3 % asked for"));
  }

  @Test
  void aBudgetThatIsTooSmallNamesTheSmallestThatWorksAndThatOneDoes() {
    Planning planning = plan(catalog(), within("0.3"));
    assertThat(planning.plans()).isEmpty();
    Money smallest =
        Objects.requireNonNull(Objects.requireNonNull(planning.infeasible()).smallestBudget());
    assertThat(smallest).isEqualTo(Money.parse("0.3242"));
    assertThat(plan(catalog(), within("0.3242")).plans()).isNotEmpty();
    assertThat(plan(catalog(), within("0.324199")).plans()).isEmpty();
  }

  @Test
  void anImpossibleDeadlineNamesTheFastestPlanAndTheBudgetThatWouldKeepIt() {
    Goal goal = with(within("3"), 0, Duration.ofMinutes(10), null);
    Planning.Infeasible infeasible = Objects.requireNonNull(plan(catalog(), goal).infeasible());
    assertThat(infeasible.reason()).contains("the fastest within the budget takes");
    assertThat(infeasible.relax(Setting::name))
        .anyMatch(line -> line.startsWith("raise DEADLINE from 10 min"));
    Money enough = Objects.requireNonNull(infeasible.smallestBudget());
    Goal richer = with(within(enough.exactDollars().toPlainString()), 0, goal.deadline(), null);
    assertThat(plan(catalog(), richer).plans()).isNotEmpty();
  }

  @Test
  void costAndTimeNeedToKnowTheWork() {
    Planner planner = new Planner(catalog(), Job.UNSTATED);
    assertThatThrownBy(() -> planner.plan(goal("3", Objective.COST)))
        .isInstanceOfSatisfying(BadInput.class, e -> assertThat(e.wayOut()).contains("--job"));
  }

  @Test
  void theCheapestWayToFinishIsNoDearerThanTheFastest() {
    Plan cheapest = plan(catalog(), goal("6", Objective.COST)).plans().get(0);
    Plan fastest = plan(catalog(), goal("6", Objective.TIME)).plans().get(0);
    assertThat(Objects.requireNonNull(cheapest.predicted().cost()))
        .isLessThanOrEqualTo(Objects.requireNonNull(fastest.predicted().cost()));
    assertThat(Objects.requireNonNull(fastest.predicted().seconds()))
        .isLessThanOrEqualTo(Objects.requireNonNull(cheapest.predicted().seconds()));
  }

  @Test
  void aCheckpointThatCannotDrainInItsIntervalNeedsMoreAnchors() {
    Goal slow = checkpoint(within("3"), "100GB", 0.01, Duration.ofMinutes(2));
    Plan best = plan(catalog(), slow).plans().get(0);
    // 100 GB in 2 min over half of 10 Gbps links: two anchors, and no more than two
    assertThat(best.count(Role.ANCHOR)).isEqualTo(2);
  }

  @Test
  void workersWithoutEnoughGpuMemoryAreLeftOutAndCounted() {
    Gpu small =
        new Gpu("T4", Vendor.NVIDIA, DataSize.ofGib(16), null, Map.of(Precision.FP16, 65e12));
    Machine machine =
        new Machine(
            "aws",
            "g4",
            "g",
            4,
            DataSize.ofGib(16),
            new Gpus(small, 1),
            Bandwidth.ofGbps(5),
            null,
            null,
            null);
    List<Listing> listings = new ArrayList<>(LISTINGS.subList(2, 4));
    listings.add(new Listing(machine, VIRGINIA, Money.parse("0.1"), Money.parse("0.3")));
    Catalog catalog = new Catalog("t", null, "test", listings, List.of());
    Job big =
        new Job(
            "big",
            Precision.FP16,
            DataSize.ofGib(40),
            null,
            null,
            Scaling.UNMEASURED,
            Profiles.NONE);
    Planning planning = new Planner(catalog, big).plan(within("3"));
    assertThat(planning.plans()).isEmpty();
    assertThat(planning.leftOut()).containsKey("GPU workers not known to have 40 GiB per GPU");
    assertThat(Objects.requireNonNull(planning.infeasible()).relax(Setting::name))
        .contains("lower the GPU memory that one replica needs to 16 GiB");
  }

  @Test
  void aQuotaOfZeroForEveryWorkerIsSaidByName() {
    Quota none = new Quota(PlaceFilter.ANYWHERE, Set.of("g"), Market.SPOT, Quota.Unit.VCPUS, 0);
    Catalog catalog = new Catalog("t", null, "test", LISTINGS, List.of(none));
    assertThatThrownBy(() -> plan(catalog, within("3")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("0 spot vCPUs for g");
  }

  @Test
  void aCatalogWithoutGpusIsRefused() {
    Catalog catalog = new Catalog("cpus", null, "test", LISTINGS.subList(2, 4), List.of());
    assertThatThrownBy(() -> plan(catalog, within("3")))
        .hasMessageContaining("no machine with a GPU");
  }

  @Test
  void anUnknownPlaceSuggestsTheNearest() {
    Goal elsewhere =
        within("3")
            .withOffers(Selection.USUAL.withPlaces(List.of(new PlaceFilter("aws/us-esat-1"))));
    assertThatThrownBy(() -> plan(catalog(), elsewhere))
        .isInstanceOfSatisfying(
            BadInput.class, e -> assertThat(e.wayOut()).contains("aws/us-east-1"));
  }

  @Test
  void onDemandWorkersNeedNoOtherMachineAndOneIsEnough() {
    Plan one = plan(catalog(), onDemand("0.6", Market.ON_DEMAND)).plans().get(0);
    assertThat(Explainer.describe(one.nodes())).isEqualTo("1 x g4dn.xlarge on-demand");
    assertThat(one.architecture()).isEqualTo("single-anchor");
    assertThat(one.isItsOwnAnchor()).isTrue();
    Plan several = plan(catalog(), onDemand("3", Market.ON_DEMAND)).plans().get(0);
    assertThat(several.nodes()).allMatch(group -> group.role() == Role.WORKER);
    assertThat(several.nodes()).allMatch(group -> group.offer().market() == Market.ON_DEMAND);
    assertThat(several.why()).anyMatch(line -> line.startsWith("Anchor: none beside the workers"));
  }

  @Test
  void onAnyMarketAMachineWithoutSpotOffersCompetesWithSpotMachines() {
    Machine fast = gpu("onlyOnDemand", 25, 4000, new SpeedupCurve(0.13388, 12.87, 6.1767));
    List<Listing> listings = new ArrayList<>(LISTINGS);
    listings.add(new Listing(fast, VIRGINIA, null, Money.parse("0.5")));
    Catalog catalog = new Catalog("any", null, "test", listings, List.of());
    Goal goal = onDemand("3", Market.SPOT, Market.ON_DEMAND);
    Plan best = plan(catalog, goal).plans().get(0);
    assertThat(Explainer.describe(best.nodes())).isEqualTo("6 x onlyOnDemand on-demand");
    assertThat(plan(catalog(), goal).plans().get(0).nodes())
        .isEqualTo(plan(catalog(), goal("3", Objective.THROUGHPUT)).plans().get(0).nodes());
  }

  @Test
  void aPlaceWithoutSpotOffersSuggestsTheOnDemandMarket() {
    List<Listing> listings =
        List.of(new Listing(G4DN, VIRGINIA, null, Money.parse("0.526")), LISTINGS.get(3));
    Catalog catalog = new Catalog("lambda", null, "test", listings, List.of());
    Planning.Infeasible infeasible =
        Objects.requireNonNull(plan(catalog, within("3")).infeasible());
    assertThat(infeasible.reason()).contains("no GPU machine there is offered on the spot market");
    assertThat(infeasible.relax(Setting::name))
        .containsExactly("add MARKET on-demand, which has 1 GPU offers there");
    assertThat(plan(catalog, onDemand("3", Market.ON_DEMAND)).plans()).isNotEmpty();
  }

  @Test
  void tieringOfOnDemandWorkersAloneIsRefused() {
    Goal goal = onDemand("3", Market.ON_DEMAND).withArchitectures(Set.of("tiering"));
    assertThatThrownBy(() -> plan(catalog(), goal))
        .isInstanceOfSatisfying(
            BadInput.class, e -> assertThat(e.wayOut()).contains("single-anchor"));
  }

  @Test
  void theOnDemandQuotaLimitsOnDemandWorkers() {
    Quota twenty =
        new Quota(PlaceFilter.ANYWHERE, Set.of("g"), Market.ON_DEMAND, Quota.Unit.VCPUS, 80);
    Catalog catalog = new Catalog("t", null, "test", LISTINGS, List.of(twenty));
    Plan best = plan(catalog, onDemand("30", Market.ON_DEMAND)).plans().get(0);
    assertThat(best.size()).isEqualTo(20);
    assertThat(best.why()).anyMatch(line -> line.startsWith("Limit: the quota, 80 on-demand"));
  }

  @Test
  void aCostAloneBuysTheFastestClusterWithinIt() {
    GoalLimits limits = new GoalLimits(null, Money.parse("2"), null, null);
    Plan fastest = plan(catalog(), unlimited(limits, Objective.TIME)).plans().get(0);
    assertThat(Objects.requireNonNull(fastest.predicted().cost()))
        .isLessThanOrEqualTo(Money.parse("2"));
    GoalLimits dearer = limits.withCost(Money.parse("3"));
    Plan faster = plan(catalog(), unlimited(dearer, Objective.TIME)).plans().get(0);
    assertThat(faster.predicted().seconds())
        .isLessThan(Objects.requireNonNull(fastest.predicted().seconds()));
    assertThat(fastest.why()).anyMatch(line -> line.startsWith("Limit: the total cost;"));
    assertThat(fastest.why()).anyMatch(line -> line.contains("no ceiling per hour is given"));
  }

  @Test
  void aDeadlineAloneBuysTheCheapestClusterThatMeetsIt() {
    GoalLimits limits = new GoalLimits(null, null, Duration.ofMinutes(20), null);
    Plan cheapest = plan(catalog(), unlimited(limits, Objective.COST)).plans().get(0);
    assertThat(Objects.requireNonNull(cheapest.predicted().seconds())).isLessThanOrEqualTo(1200);
    Plan later =
        plan(catalog(), unlimited(limits.withDeadline(Duration.ofHours(1)), Objective.COST))
            .plans()
            .get(0);
    assertThat(Objects.requireNonNull(later.predicted().cost()))
        .isLessThan(Objects.requireNonNull(cheapest.predicted().cost()));
  }

  @Test
  void aCostAndADeadlineThatEachRuleOutEverythingAreRelaxedTogether() {
    GoalLimits limits = new GoalLimits(null, Money.parse("0.01"), Duration.ofSeconds(1), null);
    Planning.Infeasible infeasible =
        Objects.requireNonNull(plan(catalog(), unlimited(limits, Objective.COST)).infeasible());
    assertThat(infeasible.reason())
        .startsWith("No cluster meets the goal: the least total cost is");
    assertThat(infeasible.relax()).hasSize(1);
    assertThat(infeasible.relax(Setting::name).get(0))
        .startsWith("raise MAX_COST from $0.01 to ")
        .contains("and DEADLINE from 1 s to ");
  }

  @Test
  void theLastWorkerMustBeWorthItsPriceUnlessTheDeadlineNeedsIt() {
    Goal free = unlimited(new GoalLimits(null, null, null, null), Objective.THROUGHPUT);
    Goal worthIt = free.withLastWorker(LastWorker.WORTH_ITS_PRICE);
    Plan stopped = plan(catalog(), worthIt).plans().get(0);
    Plan boughtOn = plan(catalog(), free).plans().get(0);
    assertThat(stopped.size()).isLessThan(boughtOn.size());
    assertThat(stopped.why())
        .anyMatch(line -> line.startsWith("Limit: the last worker must be worth its price;"));
    double between =
        (Objects.requireNonNull(stopped.predicted().seconds())
                + Objects.requireNonNull(boughtOn.predicted().seconds()))
            / 2;
    GoalLimits tight = new GoalLimits(null, null, Duration.ofMillis((long) (between * 1000)), null);
    Plan inTime =
        plan(catalog(), worthIt.withLimits(tight).withObjective(Objective.COST)).plans().get(0);
    assertThat(Objects.requireNonNull(inTime.predicted().seconds())).isLessThanOrEqualTo(between);
  }

  @Test
  void oneWorkerAloneIsNotComparedWithItself() {
    Plan one = plan(catalog(), onDemand("0.6", Market.ON_DEMAND)).plans().get(0);
    assertThat(one.why()).noneMatch(line -> line.contains("1 workers are"));
    assertThat(one.why()).anyMatch(line -> line.startsWith("Scaling: one worker trains alone"));
  }

  @Test
  void theSameQuestionGetsTheSameAnswerInEveryOrderOfTheCatalog() {
    List<Listing> reversed = new ArrayList<>(LISTINGS);
    Collections.reverse(reversed);
    Catalog other = new Catalog("paper", null, "test", reversed, List.of());
    assertThat(plan(other, within("7")).plans()).isEqualTo(plan(catalog(), within("7")).plans());
  }

  @Test
  void aMixOfTypesIsTheSameInEveryOrderOfTheCatalog() {
    List<Listing> reversed = new ArrayList<>(LISTINGS);
    Collections.reverse(reversed);
    Catalog other = new Catalog("paper", null, "test", reversed, List.of());
    boolean mixed = false;
    for (String price : List.of("1", "1.5", "2", "2.5", "3", "5")) {
      Goal goal = goal(price, Objective.THROUGHPUT).mixing();
      List<Plan> plans = plan(catalog(), goal).plans();
      assertThat(plan(other, goal).plans()).as(price).isEqualTo(plans);
      mixed |= plans.get(0).nodes().stream().filter(n -> n.role() == Role.WORKER).count() > 1;
    }
    assertThat(mixed).as("one of the plans mixes types").isTrue();
  }

  private static Catalog catalog() {
    return new Catalog("paper", null, "test", LISTINGS, List.of());
  }

  private static Planning plan(Catalog catalog, Goal goal) {
    return new Planner(catalog, JOB).plan(goal);
  }

  private static Goal within(String price) {
    return Goal.within(Money.parse(price));
  }

  private static Goal onDemand(String price, Market... markets) {
    return goal(price, Objective.THROUGHPUT)
        .withOffers(Selection.USUAL.withMarkets(Set.of(markets)));
  }

  private static Goal unlimited(GoalLimits limits, Objective objective) {
    return Goal.within(limits).withObjective(objective);
  }

  private static Goal goal(String price, Objective objective) {
    return within(price).withObjective(objective);
  }

  private static Goal with(
      Goal g, double minMarginalGain, @Nullable Duration deadline, @Nullable Money maxCost) {
    return g.withLastWorker(LastWorker.adding(minMarginalGain))
        .withLimits(g.limits().withDeadline(deadline).withCost(maxCost));
  }

  private static Goal checkpoint(Goal g, String size, double slots, Duration interval) {
    return g.withArchitectures(Set.of("tiering"))
        .withCheckpoints(
            new CheckpointGoal(DataSize.parse(size), slots, AnchorMemory.SHARE, interval));
  }

  private static Machine gpu(String name, double gbps, double flops, SpeedupCurve curve) {
    return new Machine(
        "aws", name, "g", 4, DataSize.ofGb(16), null, Bandwidth.ofGbps(gbps), null, flops, curve);
  }

  private static Machine cpu(String name, String family, double gb, double gbps) {
    return new Machine(
        "aws", name, family, 4, DataSize.ofGb(gb), null, Bandwidth.ofGbps(gbps), null, null, null);
  }
}
