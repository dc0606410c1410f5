package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.OfferFilter;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Plans with the offers that pass a filter. It also says which limit keeps a better plan out of
 * reach: it lifts one limit at a time, plans again and compares.
 */
public final class FilteredPlanner {

  /** How a reason begins that says what stops a cluster from being better. */
  private static final String LIMIT = "Limit:";

  private final Catalog catalog;
  private final Job job;
  private final OfferFilter filter;

  public FilteredPlanner(Catalog catalog, Job job, OfferFilter filter) {
    this.catalog = catalog;
    this.job = job;
    this.filter = filter;
  }

  /** Returns the best plans for the goal, with the limits that bind, or why there are none. */
  public Planning plan(Goal goal) {
    PlanRequest request = new PlanRequest(catalog, job, filter, goal);
    OfferFilter.Filtered filtered = filter.select(catalog);
    boolean nothing = !filter.equals(OfferFilter.NONE) && !request.hasWorkers();
    Planning planning = nothing ? nothingLeft(goal) : request.plan();
    Planning counted = planning.withLeftOut(together(planning.leftOut(), filtered.leftOut()));
    if (goal.confidence() != null) {
      // Each further planning would sample its risk, too.
      return counted;
    }
    return counted.infeasible() == null ? bounded(counted, request) : relaxed(counted, request);
  }

  /** Returns the planning with the limits that bind among the reasons of its first plan. */
  private static Planning bounded(Planning planning, PlanRequest request) {
    Plan first = planning.plans().get(0);
    List<String> limits = new ArrayList<>();
    for (LiftedLimit lifted : LiftedLimit.of(request)) {
      String better = lifted.betterThan(first);
      if (better != null) {
        limits.add("%s %s; without it, %s.".formatted(LIMIT, lifted.name(), better));
      }
    }
    if (limits.isEmpty()) {
      return planning;
    }
    List<String> why = new ArrayList<>(first.why());
    int own = 0;
    while (own < why.size() && why.get(own).startsWith(LIMIT)) {
      own++;
    }
    why.addAll(own, limits);
    List<Plan> plans = new ArrayList<>(planning.plans());
    plans.set(0, first.withWhy(why));
    return planning.withPlans(plans);
  }

  /** Returns the planning with the limits without which there would be a plan. */
  private static Planning relaxed(Planning planning, PlanRequest request) {
    Planning.Infeasible infeasible = planning.infeasible();
    List<Hint> ways = new ArrayList<>();
    for (LiftedLimit lifted : LiftedLimit.ofOffers(request)) {
      String possible = lifted.possible();
      if (possible != null) {
        ways.add(new Hint.Without(lifted.wayOut(), possible));
      }
    }
    if (infeasible == null || ways.isEmpty()) {
      return planning;
    }
    List<Hint> relax = new ArrayList<>(infeasible.relax());
    // The ways out stand before the counts of offers that were left out.
    int counts = 0;
    while (counts < relax.size() && !(relax.get(counts) instanceof Hint.LeftOut)) {
      counts++;
    }
    relax.addAll(counts, ways);
    return planning.withInfeasible(
        new Planning.Infeasible(infeasible.reason(), relax, infeasible.smallestBudget()));
  }

  private Planning nothingLeft(Goal goal) {
    List<Hint> relax = new ArrayList<>();
    filter
        .select(catalog)
        .leftOut()
        .forEach((reason, count) -> relax.add(new Hint.LeftOut(reason, count)));
    return new Planning(
        goal,
        List.of(),
        Map.of(),
        List.of(),
        List.of(),
        List.of(),
        new Planning.Infeasible(
            "No GPU worker%s passes the filter: %s."
                .formatted(
                    goal.places().isEmpty() ? "" : " in " + LiftedLimit.list(goal.places()),
                    LiftedLimit.describe(filter)),
            relax,
            null));
  }

  private static Map<String, Integer> together(Map<String, Integer> a, Map<String, Integer> b) {
    Map<String, Integer> sum = new TreeMap<>(a);
    b.forEach((reason, count) -> sum.merge(reason, count, Integer::sum));
    return sum;
  }

  /** The inputs of a planning. */
  record PlanRequest(Catalog catalog, Job job, OfferFilter filter, Goal goal) {

    /** Whether a machine that trains is left in the places asked for. */
    boolean hasWorkers() {
      return offered().stream().anyMatch(listing -> listing.machine().trains());
    }

    /** Plans with the offers that are left. */
    Planning plan() {
      if (filter.equals(OfferFilter.NONE)) {
        return Architectures.plan(catalog, job, goal);
      }
      List<Listing> kept = filter.select(catalog).kept();
      List<PlaceFilter> places = new ArrayList<>();
      for (PlaceFilter place : goal.places()) {
        PlaceFilter.Test test = place.test();
        if (kept.stream().anyMatch(listing -> test.matches(listing.place()))) {
          places.add(place);
        }
      }
      Planning planning =
          Architectures.plan(
              catalog.with(kept), job, goal.withOffers(goal.offers().withPlaces(places)));
      return planning.withGoal(goal);
    }

    /** Plans, or returns no plans where the lifted limit makes the request one to refuse. */
    List<Plan> plansIfAny() {
      try {
        return hasWorkers() ? plan().plans() : List.of();
      } catch (BadInput refused) {
        return List.of();
      }
    }

    private List<Listing> offered() {
      List<PlaceFilter.Test> places = goal.places().stream().map(PlaceFilter::test).toList();
      return filter.select(catalog).kept().stream()
          .filter(
              listing ->
                  places.isEmpty()
                      || places.stream().anyMatch(test -> test.matches(listing.place())))
          .toList();
    }

    /** The same request with its one best plan as the answer, of one worker type. */
    PlanRequest forOnePlan() {
      Goal one =
          new Goal(
              goal.limits(),
              goal.objective(),
              goal.offers(),
              goal.architectures(),
              goal.checkpoints(),
              goal.lastWorker(),
              false,
              1);
      return new PlanRequest(catalog, job, filter, one);
    }

    PlanRequest with(OfferFilter other) {
      return new PlanRequest(catalog, job, other, goal);
    }

    PlanRequest with(Goal other) {
      return new PlanRequest(catalog, job, filter, other);
    }

    PlanRequest with(Catalog other) {
      return new PlanRequest(other, job, filter, goal);
    }

    PlanRequest with(Job other) {
      return new PlanRequest(catalog, other, filter, goal);
    }
  }
}
