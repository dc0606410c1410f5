package io.deepvm.planner.averaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.planner.averaging.AveragingGoal.Aim;
import io.deepvm.units.Money;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

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
