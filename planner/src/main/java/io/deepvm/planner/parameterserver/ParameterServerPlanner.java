package io.deepvm.planner.parameterserver;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Place;
import io.deepvm.planner.Hint;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Setting;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Plans parameter-server clusters from a catalog: workers and servers stand in one place, and each
 * place is searched with every useful choice of servers.
 */
public final class ParameterServerPlanner {

  private final Catalog catalog;
  private final ParameterServerProfile profile;

  /** A planner for one catalog and one job. */
  public ParameterServerPlanner(Catalog catalog, ParameterServerProfile profile) {
    this.catalog = catalog;
    this.profile = profile;
  }

  /** Returns the cheapest cluster of every place by the search given, cheapest place first. */
  public ParameterServerPlanning plan(ParameterServerGoal goal, ProvisionSearch search) {
    ServerMarket market = ServerMarket.of(catalog, profile, goal);
    double lost = goal.overheadSeconds() + goal.startUpSeconds();
    if (goal.deadlineSeconds() <= lost) {
      return new ParameterServerPlanning(
          List.of(), market.leftOut(), tooSoon(goal.deadlineSeconds(), lost));
    }
    List<ParameterServerPlan> plans = new ArrayList<>();
    List<ProvisionRequest> failed = new ArrayList<>();
    boolean proven = true;
    for (Place place : market.places()) {
      Attempt best = null;
      for (ServerOption servers : market.servers(place)) {
        ProvisionRequest request = request(market, place, servers, goal);
        Attempt attempt = attempt(place, servers, goal.within(request), search);
        if (attempt.outcome.best() == null) {
          failed.add(request);
          proven &= !(attempt.outcome.gap() > 0);
        } else if (best == null || attempt.dollars() < best.dollars()) {
          best = attempt;
        }
      }
      if (best != null && best.outcome.best() != null) {
        plans.add(plan(market, best, best.outcome.best()));
      }
    }
    plans.sort(
        Comparator.comparingDouble((ParameterServerPlan plan) -> plan.provision().dollars())
            .thenComparingInt(plan -> plan.provision().workers())
            .thenComparing(plan -> plan.place().toString()));
    return new ParameterServerPlanning(
        plans,
        market.leftOut(),
        !plans.isEmpty()
            ? null
            : failed.isEmpty()
                ? market.nothing()
                : Relaxation.explain(failed, goal.maxPricePerHour(), proven));
  }

  private static Planning.Infeasible tooSoon(double deadlineSeconds, double lostSeconds) {
    String lost = Durations.print(Durations.ofSeconds(lostSeconds));
    return new Planning.Infeasible(
        "The deadline (%s) is over before training begins (%s)."
            .formatted(Durations.print(Durations.ofSeconds(deadlineSeconds)), lost),
        List.of(new Hint.Change("raise", Setting.DEADLINE, "above %s".formatted(lost))),
        null);
  }

  /** What was searched in one place with one choice of servers, and what was found. */
  private record Attempt(
      Place place, ServerOption servers, ProvisionRequest request, ProvisionOutcome outcome) {

    double dollars() {
      Provision best = outcome.best();
      return best == null ? Double.POSITIVE_INFINITY : best.dollars();
    }
  }

  private static Attempt attempt(
      Place place, ServerOption servers, ProvisionRequest request, ProvisionSearch search) {
    ProvisionOutcome outcome =
        request.model().profile().loss().reaches(request.goal().target())
            ? search.search(request)
            : new ProvisionOutcome(null, 0, 0);
    return new Attempt(place, servers, request, outcome);
  }

  private static ParameterServerPlan plan(ServerMarket market, Attempt found, Provision best) {
    return new ParameterServerPlan(
        found.place,
        market.workers(found.place).stream().map(ServerMarket.Worker::offer).toList(),
        found.servers,
        found.request,
        best,
        found.outcome.gap());
  }

  private ProvisionRequest request(
      ServerMarket market, Place place, ServerOption servers, ParameterServerGoal goal) {
    return new ProvisionRequest(
        new ParameterServerModel(profile, servers.bandwidth()),
        market.workers(place).stream().map(ServerMarket.Worker::asOffer).toList(),
        market.sharedLimits(place),
        goal.loss(),
        goal.deadlineSeconds(),
        goal.overheadSeconds(),
        new Billing(
            goal.billServers() ? servers.pricePerHour() : Money.ZERO,
            goal.startUpSeconds(),
            goal.billOverhead()));
  }
}
