package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.cli.console.ProgressBar;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.options.DependenceRule;
import io.deepvm.cli.options.FutureOptions;
import io.deepvm.cli.print.BorrowedLosses;
import io.deepvm.cli.print.LossAssumptions;
import io.deepvm.cli.print.RiskReport.Candidate;
import io.deepvm.cli.print.RiskReport.ExtraNode;
import io.deepvm.market.UnannouncedLosses;
import io.deepvm.planner.Architectures;
import io.deepvm.planner.Goal;
import io.deepvm.planner.NodeGroup;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Planning;
import io.deepvm.planner.Role;
import io.deepvm.simulator.Contest;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.PlanReading;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.policy.Policies;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Ranks the best plans on paper by what they come to on a spot market. */
final class RiskPlanning {

  /** How many plans on paper are tried; more than are shown, since risk reorders them. */
  static final int CANDIDATES = 12;

  /** How many plans from cheap to fast are tried in each place. */
  private static final int FRONT = 3;

  /** With more places than a market has, each is not tried for itself. */
  private static final int MOST_PLACES = 32;

  private final Terminal terminal;
  private final FutureOptions future;
  private final Catalog offers;
  private final Job job;
  private final double confidence;
  private final Set<BorrowedLosses> borrowed = new LinkedHashSet<>();
  private final Set<String> notes = new LinkedHashSet<>();
  private final Map<Plan, FutureOptions.Show> shows = new HashMap<>();
  private final Map<String, UnannouncedLosses> unannounced = new TreeMap<>();

  RiskPlanning(
      Terminal terminal, FutureOptions future, Catalog offers, Job job, double confidence) {
    this.terminal = terminal;
    this.future = future;
    this.offers = offers;
    this.job = job;
    this.confidence = confidence;
  }

  /** Returns all that was assumed of any plan, and what it does to the best, a line each. */
  List<String> notes(Candidate best, Goal goal) {
    List<String> all = new ArrayList<>(BorrowedLosses.notes(borrowed));
    all.addAll(notes);
    String effect = effect(best, goal);
    if (effect != null) {
      all.add(effect);
    }
    all.add(LossAssumptions.withoutNotice(unannounced));
    return all;
  }

  /**
   * Returns the plans, those that hold first, each group by the dollars that the asked share of
   * runs does not exceed.
   */
  List<Candidate> rank(Planning planning) {
    Goal goal = planning.goal();
    List<Plan> plans = new ArrayList<>(planning.plans());
    planning.paretoFront().stream().limit(CANDIDATES).forEach(plans::add);
    plans.addAll(byPlace(goal));
    List<Candidate> candidates = new ArrayList<>();
    Set<List<NodeGroup>> tried = new HashSet<>();
    for (Plan plan : plans) {
      if (!tried.add(plan.nodes())) {
        continue;
      }
      FutureOptions.Show show = future.show(PlanReading.of(plan, job, goal, offers), List.of());
      shows.put(plan, show);
      Sample sample = simulated(show, plan.architecture());
      double usd = sample.usdAt(confidence);
      boolean dear = goal.maxCost() != null && usd > goal.maxCost().dollars();
      boolean late = sample.missed() > 1 - confidence + 1e-12;
      candidates.add(new Candidate(plan, sample, usd, !dear && !late, show.borrowed()));
    }
    candidates.sort(
        Comparator.comparing((Candidate c) -> !c.holds())
            .thenComparingDouble(c -> c.holds() ? 0 : c.sample().missed())
            .thenComparingDouble(Candidate::quantileUsd));
    return candidates;
  }

  /**
   * Returns the best plan of each place: on paper the places hardly differ, in their losses much.
   */
  private List<Plan> byPlace(Goal goal) {
    List<Place> places =
        offers.listings().stream()
            .filter(l -> l.machine().trains())
            .map(Listing::place)
            .distinct()
            .toList();
    if (places.size() > MOST_PLACES) {
      return List.of();
    }
    List<Plan> plans = new ArrayList<>();
    for (Place place : places) {
      Catalog there =
          offers.with(
              offers.listings().stream()
                  .filter(l -> !l.machine().trains() || l.place().equals(place))
                  .toList());
      Planning planning = Architectures.plan(there, job, goal);
      planning.plans().stream().limit(1).forEach(plans::add);
      List<Plan> front = planning.paretoFront();
      for (int i = 0; i < FRONT && !front.isEmpty(); i++) {
        plans.add(front.get((front.size() - 1) * (i + 1) / FRONT));
      }
    }
    return plans;
  }

  /** Returns what one more worker on demand would change, or null where there is none to rent. */
  @Nullable ExtraNode extra(Candidate best, Goal goal) {
    NodeGroup workers =
        best.plan().nodes().stream().filter(g -> g.role() == Role.WORKER).findFirst().orElseThrow();
    Offer offer = onDemand(workers.offer());
    if (offer == null) {
      return null;
    }
    List<NodeGroup> nodes = new ArrayList<>(best.plan().nodes());
    nodes.add(new NodeGroup(Role.WORKER, offer, 1));
    Plan plan = best.plan();
    Plan larger =
        new Plan(
            plan.architecture(),
            nodes,
            plan.pricePerHour().plus(offer.pricePerHour()),
            plan.objective(),
            plan.score(),
            plan.gap(),
            plan.predicted(),
            plan.why());
    try {
      PlannedRun run = PlanReading.of(larger, job, goal, offers);
      Double seconds = run.seconds();
      if (seconds == null) {
        return null;
      }
      // The plan's time is that of all but the new node.
      double share = run.speeds()[run.speeds().length - 2];
      FutureOptions.Show show = future.show(run.lasting(seconds * share), List.of());
      Sample sample = simulated(show, "one more node on demand");
      return new ExtraNode(offer, sample);
    } catch (BadInput noSuchCluster) {
      return null;
    }
  }

  private @Nullable Offer onDemand(Offer offer) {
    return offers.listings().stream()
        .filter(l -> l.place().equals(offer.place()) && l.machine().equals(offer.machine()))
        .findFirst()
        .map((Listing l) -> l.offer(Market.ON_DEMAND))
        .orElse(null);
  }

  private Sample simulated(FutureOptions.Show show, String what) {
    if (show.borrowed() != null) {
      borrowed.add(show.borrowed());
    }
    notes.addAll(show.notes());
    unannounced.putAll(future.unannounced(show.stage()));
    return simulated(show, show.futures(), future.runs, what);
  }

  /** Returns what nodes that are always or never lost together change; null if it is nothing. */
  private @Nullable String effect(Candidate best, Goal goal) {
    FutureOptions.Show show = shows.get(best.plan());
    if (show == null || !show.depends()) {
      return null;
    }
    int runs = Math.min(future.runs, LossAssumptions.EFFECT_RUNS);
    return LossAssumptions.effect(
        new LossAssumptions.DependenceEffect(
            show.dependence().words(),
            simulated(show, show.courses().apply(DependenceRule.TOGETHER), runs, "together"),
            simulated(show, show.courses().apply(DependenceRule.INDEPENDENT), runs, "apart")),
        goal.deadline() != null);
  }

  private Sample simulated(FutureOptions.Show show, Future.Source futures, int runs, String what) {
    Contest contest = new Contest(show.stage(), futures, runs, future.seed, future.threads);
    Policies.Entry inPlace = Policies.named(Policies.PLAN);
    try (ProgressBar bar = new ProgressBar(terminal, "Simulating " + what, runs)) {
      return contest.sample(
          show.stage().scenario(), f -> inPlace.maker().apply(show.stage(), f), bar::at);
    }
  }
}
