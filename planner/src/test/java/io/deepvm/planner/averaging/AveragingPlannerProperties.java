package io.deepvm.planner.averaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.planner.averaging.AveragingGoal.Aim;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Protocol;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

class AveragingPlannerProperties {

  private static final CatalogNetwork WORLD = new CatalogNetwork();
  private static final AveragingModel MODEL =
      new AveragingModel(Markets.CONVNEXT, WORLD, Protocol.USUAL);

  private static AveragingPlan best(Catalog catalog, AveragingGoal goal) {
    return new AveragingPlanner(Markets.CONVNEXT_SPEEDS, WORLD, Protocol.USUAL)
        .plan(catalog, goal)
        .plans()
        .get(0);
  }

  /** Every cluster of at most five peers of a few offers, by brute force. */
  private static List<Forecast> everyCluster(Catalog catalog, int perPlace) {
    List<Forecast> all = new ArrayList<>();
    grow(catalog.listings(), 0, perPlace, List.of(), all);
    return all;
  }

  private static void grow(
      List<Listing> listings, int next, int perPlace, List<PeerGroup> chosen, List<Forecast> all) {
    if (next == listings.size()) {
      if (!chosen.isEmpty()) {
        all.add(MODEL.forecast(chosen, 32768));
      }
      return;
    }
    int used = chosen.stream().mapToInt(PeerGroup::count).sum();
    Listing listing = listings.get(next);
    int here =
        chosen.stream()
            .filter(group -> group.peer().place().equals(listing.place()))
            .mapToInt(PeerGroup::count)
            .sum();
    for (int count = 0; count <= Math.min(5 - used, perPlace - here); count++) {
      List<PeerGroup> more = new ArrayList<>(chosen);
      if (count > 0) {
        more.add(new PeerGroup(peer(listing), count));
      }
      grow(listings, next + 1, perPlace, more, all);
    }
  }

  private static Peer peer(Listing listing) {
    SpeedProfile.Speed speed =
        Objects.requireNonNull(Markets.CONVNEXT_SPEEDS.of(listing.machine()));
    return new Peer(
        listing.machine().name(),
        listing.place(),
        speed.samplesPerSecond(),
        HostClass.of(listing.machine().vcpus()),
        Objects.requireNonNull(listing.spot()),
        null);
  }

  @Property(tries = 60, seed = "20261115")
  void noClusterBeatsTheBoundAndNearlyNoneThePlan(
      @ForAll @IntRange(min = 0, max = 1_000_000) int seed,
      @ForAll @IntRange(min = 1, max = 3) int perPlace) {
    Catalog catalog = Markets.random(seed, 5);
    Money budget = Money.parse("6");
    AveragingPlan plan =
        best(catalog, AveragingGoal.of(Aim.THROUGHPUT, budget).atMost(5, perPlace, 4));
    double optimum =
        everyCluster(catalog, perPlace).stream()
            .filter(forecast -> forecast.pricePerHour().compareTo(budget) <= 0)
            .mapToDouble(Forecast::samplesPerSecond)
            .max()
            .orElse(0);
    assertThat(plan.forecast().pricePerHour()).isLessThanOrEqualTo(budget);
    assertThat(plan.score() * (1 + plan.gap())).isGreaterThanOrEqualTo(optimum * (1 - 1e-9));
    assertThat(plan.score()).isGreaterThanOrEqualTo(0.97 * optimum);
  }

  @Property(tries = 60, seed = "20261115")
  void theCheapestSampleIsTheTrueOptimum(@ForAll @IntRange(min = 0, max = 1_000_000) int seed) {
    Catalog catalog = Markets.random(seed, 5);
    AveragingPlan plan = best(catalog, AveragingGoal.of(Aim.COST_PER_SAMPLE, null).atMost(5, 3, 4));
    double optimum =
        everyCluster(catalog, 3).stream()
            .mapToDouble(Forecast::dollarsPerMillion)
            .min()
            .orElseThrow();
    assertThat(plan.score()).isLessThanOrEqualTo(optimum * (1 + 1e-9));
    assertThat(plan.gap()).isZero();
  }

  @Property(tries = 100, seed = "20261115")
  void withinLimitsOfPriceCostAndSpeedNearlyNothingIsMissed(
      @ForAll @IntRange(min = 0, max = 1_000_000) int seed) {
    Random random = new Random(seed);
    Catalog catalog = Markets.random(seed, 5);
    List<Forecast> all = everyCluster(catalog, 3);
    // Limits around those that the fastest of some price just keeps.
    Money some = all.get(random.nextInt(all.size())).pricePerHour();
    Forecast near =
        all.stream()
            .filter(each -> each.pricePerHour().compareTo(some) <= 0)
            .max(Comparator.comparingDouble(Forecast::samplesPerSecond))
            .orElseThrow();
    Money budget = near.pricePerHour().times(0.9 + 0.4 * random.nextDouble()).plus(new Money(1));
    double speed = near.samplesPerSecond() * (0.8 + 0.3 * random.nextDouble());
    double cost = near.dollarsPerMillion() * (0.9 + 0.4 * random.nextDouble());
    AveragingGoal goal =
        AveragingGoal.of(Aim.THROUGHPUT, budget)
            .atMost(5, 3, 4)
            .reaching(speed)
            .costingAtMost(cost);
    AveragingPlanner planner = new AveragingPlanner(Markets.CONVNEXT_SPEEDS, WORLD, Protocol.USUAL);
    AveragingPlanning planning = planner.plan(catalog, goal);
    List<Forecast> able =
        all.stream()
            .filter(each -> each.samplesPerSecond() >= speed && each.dollarsPerMillion() <= cost)
            .toList();
    double optimum =
        able.stream()
            .filter(each -> each.pricePerHour().compareTo(budget) <= 0)
            .mapToDouble(Forecast::samplesPerSecond)
            .max()
            .orElse(0);
    Statistics.label("has a plan").collect(optimum > 0);
    Statistics.label("has a plan").coverage(share -> share.check(true).percentage(p -> p > 30));
    Statistics.label("has a plan").coverage(share -> share.check(false).percentage(p -> p > 10));
    if (!planning.plans().isEmpty()) {
      Forecast found = planning.plans().get(0).forecast();
      assertThat(found.pricePerHour()).isLessThanOrEqualTo(budget);
      assertThat(found.samplesPerSecond()).isGreaterThanOrEqualTo(speed);
      assertThat(found.dollarsPerMillion()).isLessThanOrEqualTo(cost);
      assertThat(found.samplesPerSecond()).isGreaterThanOrEqualTo(0.97 * optimum);
      return;
    }
    assertThat(optimum).isZero();
    @Nullable Money enough = Objects.requireNonNull(planning.infeasible()).smallestBudget();
    assertThat(enough == null).isEqualTo(able.isEmpty());
    if (enough != null) {
      Money least = able.stream().map(Forecast::pricePerHour).min(Money::compareTo).orElseThrow();
      assertThat(enough).isBetween(least, least.times(1.01).plus(new Money(1)));
      assertThat(
              planner
                  .plan(
                      catalog,
                      AveragingGoal.of(Aim.THROUGHPUT, enough)
                          .atMost(5, 3, 4)
                          .reaching(speed)
                          .costingAtMost(cost))
                  .plans())
          .isNotEmpty();
    }
  }

  @Property(tries = 40, seed = "20261115")
  void moreMoneyIsNeverMuchSlower(
      @ForAll @IntRange(min = 0, max = 1_000_000) int seed,
      @ForAll @IntRange(min = 3, max = 30) int dollars) {
    Catalog catalog = Markets.random(seed, 40);
    AveragingGoal less = AveragingGoal.of(Aim.THROUGHPUT, Money.parse(dollars + ""));
    AveragingGoal more = AveragingGoal.of(Aim.THROUGHPUT, Money.parse(2 * dollars + ""));
    assertThat(best(catalog, more).score()).isGreaterThanOrEqualTo(best(catalog, less).score());
  }
}
