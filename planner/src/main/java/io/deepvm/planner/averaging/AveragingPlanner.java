package io.deepvm.planner.averaging;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.planner.Hint;
import io.deepvm.planner.Planning.Infeasible;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.Network;
import io.deepvm.workload.averaging.Protocol;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds peers to train with by averaging.
 *
 * <p>Clusters of one offer are all weighed. Mixes of offers, places and own machines are reached by
 * steepest ascent from the best of those; a plan's gap says how far a bound lies above it.
 */
public final class AveragingPlanner {

  /** Ascents start from this many of the best clusters of one offer, each in another place. */
  private static final int STARTS = 6;

  private static final int BEST_BY_VALUE = 24;
  private static final int BEST_BY_SPEED = 8;
  private static final int BEST_BY_CONTINENT = 3;
  private static final int[] STEPS = {1, 2, 4, 8, 16};
  private static final double LEAST_GAIN = 1e-9;

  private final SpeedProfile profile;
  private final Network network;
  private final Protocol protocol;
  private final Coefficients constants;

  public AveragingPlanner(SpeedProfile profile, Network network, Protocol protocol) {
    this(profile, network, protocol, Coefficients.STUDY);
  }

  public AveragingPlanner(
      SpeedProfile profile, Network network, Protocol protocol, Coefficients constants) {
    this.profile = profile;
    this.network = network;
    this.protocol = protocol;
    this.constants = constants;
  }

  /** Returns the best clusters of the catalog's GPU offers and the goal's own machines. */
  public AveragingPlanning plan(Catalog catalog, AveragingGoal goal) {
    PeerStock stock = new PeerStock(catalog, profile, goal);
    if (stock.candidates().isEmpty()) {
      return nothing(stock);
    }
    AveragingModel model = new AveragingModel(profile.model(), network, protocol, constants);
    Judge judge = new Judge(model, goal, stock);
    List<Weighed> found = search(stock, judge);
    Relaxations relaxations = new Relaxations(model, goal, stock);
    Weighed cheapest = null;
    if (found.isEmpty() || !Judge.feasible(found.get(0).merit)) {
      // The ascent may have lost its way between limits; what costs least per hour shows one.
      cheapest = relaxations.leastPerHour();
      double merit = cheapest == null ? Judge.IMPOSSIBLE : judge.merit(cheapest.cluster);
      if (cheapest != null && Judge.feasible(merit)) {
        found.add(ascend(new Weighed(cheapest.cluster, merit), pool(stock), judge));
        found.sort(Weighed.BEST_FIRST);
      }
    }
    List<AveragingPlan> plans = new ArrayList<>();
    List<Candidate> payable = affordable(stock, goal);
    double bound =
        payable.isEmpty()
            ? 0
            : new Bound(profile.model(), protocol, constants, goal, payable).score();
    Reasons reasons = new Reasons(model, goal, payable);
    Set<String> placeSets = new HashSet<>();
    for (Weighed each : found) {
      if (plans.size() == goal.alternatives() || !Judge.feasible(each.merit)) {
        break;
      }
      Forecast forecast = model.forecast(each.cluster.groups(), goal.largestTargetBatch());
      if (judge.affordable(forecast) && placeSets.add(each.cluster.placeSet())) {
        double score = judge.score(forecast);
        double gap = gap(goal, score, bound);
        plans.add(
            new AveragingPlan(
                peers(each.cluster),
                forecast,
                score,
                gap,
                reasons.of(each.cluster, forecast, gap)));
      }
    }
    Infeasible infeasible = plans.isEmpty() ? relaxations.explain(cheapest) : null;
    return new AveragingPlanning(plans, judge.considered(), stock.leftOut(), infeasible);
  }

  /** Returns the clusters found, best first: the best number of each candidate, and mixes. */
  static List<Weighed> search(PeerStock stock, Judge judge) {
    List<Weighed> found = singles(stock, judge);
    List<Candidate> pool = pool(stock);
    for (Weighed start : starts(found)) {
      found.add(ascend(start, pool, judge));
    }
    found.sort(Weighed.BEST_FIRST);
    return found;
  }

  /** Returns the candidates that the budget pays for, best value first. */
  private static List<Candidate> affordable(PeerStock stock, AveragingGoal goal) {
    Money most = goal.maxPricePerHour();
    return stock.candidates().stream()
        .filter(each -> most == null || each.price() <= most.micros())
        .sorted(Candidate.BEST_VALUE_FIRST)
        .toList();
  }

  /** A cluster and its merit. */
  record Weighed(PeerCluster cluster, double merit) {

    /** Better first; ties go to the cheaper, then the smaller, then by place. */
    static final Comparator<Weighed> BEST_FIRST =
        Comparator.comparingDouble(Weighed::merit)
            .reversed()
            .thenComparingLong(each -> each.cluster.price())
            .thenComparingInt(each -> each.cluster.peers())
            .thenComparing(each -> each.cluster.placeSet());
  }

  /** Weighs every number of every candidate, and keeps the best number of each. */
  private static List<Weighed> singles(PeerStock stock, Judge judge) {
    List<Weighed> best = new ArrayList<>();
    for (Candidate candidate : stock.candidates()) {
      Weighed of = null;
      for (int count = 1; count <= candidate.limit(); count++) {
        PeerCluster cluster = PeerCluster.of(candidate, count);
        double merit = judge.merit(cluster);
        if (of == null || merit > of.merit) {
          of = new Weighed(cluster, merit);
        }
      }
      if (of != null && of.merit > Judge.IMPOSSIBLE) {
        best.add(of);
      }
    }
    return best;
  }

  private static List<Weighed> starts(List<Weighed> found) {
    List<Weighed> sorted = new ArrayList<>(found);
    sorted.sort(Weighed.BEST_FIRST);
    List<Weighed> starts = new ArrayList<>();
    Set<String> placeSets = new HashSet<>();
    for (Weighed each : sorted) {
      boolean own = each.cluster.parts().get(0).candidate().offer() == null;
      if (own || (starts.size() < STARTS && placeSets.add(each.cluster.placeSet()))) {
        starts.add(each);
      }
    }
    return starts;
  }

  /** The candidates that mixes are made of: own machines, and the best by value, speed, place. */
  private static List<Candidate> pool(PeerStock stock) {
    Set<Candidate> pool = new LinkedHashSet<>();
    List<Candidate> sorted = new ArrayList<>(stock.candidates());
    sorted.stream().filter(each -> each.offer() == null).forEach(pool::add);
    sorted.sort(Candidate.FASTEST_FIRST);
    sorted.stream().limit(BEST_BY_SPEED).forEach(pool::add);
    sorted.sort(Candidate.BEST_VALUE_FIRST);
    sorted.stream().limit(BEST_BY_VALUE).forEach(pool::add);
    for (String continent : sorted.stream().map(Candidate::continent).distinct().toList()) {
      sorted.stream()
          .filter(each -> each.continent().equals(continent))
          .limit(BEST_BY_CONTINENT)
          .forEach(pool::add);
    }
    return List.copyOf(pool);
  }

  private static Weighed ascend(Weighed start, List<Candidate> pool, Judge judge) {
    Weighed best = start;
    while (true) {
      Weighed next = best;
      for (PeerCluster neighbour : neighbours(best.cluster, pool)) {
        double merit = judge.merit(neighbour);
        if (merit > next.merit) {
          next = new Weighed(neighbour, merit);
        }
      }
      if (!(next.merit > best.merit + LEAST_GAIN * Math.abs(best.merit))) {
        return best;
      }
      best = next;
    }
  }

  /** Clusters with some more of a candidate, some less, or some exchanged for another. */
  private static List<PeerCluster> neighbours(PeerCluster cluster, List<Candidate> pool) {
    List<PeerCluster> neighbours = new ArrayList<>();
    for (Candidate candidate : pool) {
      for (int step : STEPS) {
        neighbours.add(cluster.plus(candidate, step));
      }
    }
    for (PeerCluster.Part part : cluster.parts()) {
      for (int step : STEPS) {
        if (step <= part.count()) {
          neighbours.add(cluster.plus(part.candidate(), -step));
        }
      }
      for (Candidate other : pool) {
        if (!other.equals(part.candidate())) {
          neighbours.add(cluster.plus(part.candidate(), -1).plus(other, 1));
          neighbours.add(cluster.plus(part.candidate(), -part.count()).plus(other, part.count()));
        }
      }
    }
    return neighbours;
  }

  private static List<PlannedPeers> peers(PeerCluster cluster) {
    List<PlannedPeers> peers = new ArrayList<>();
    for (int i = 0; i < cluster.parts().size(); i++) {
      peers.add(
          new PlannedPeers(cluster.groups().get(i), cluster.parts().get(i).candidate().offer()));
    }
    return peers;
  }

  private static double gap(AveragingGoal goal, double score, double bound) {
    double gap =
        goal.aim() == AveragingGoal.Aim.THROUGHPUT
            ? bound / score - 1
            : bound == 0 ? (score == 0 ? 0 : Double.POSITIVE_INFINITY) : score / bound - 1;
    return gap < 1e-6 ? 0 : gap;
  }

  private static AveragingPlanning nothing(PeerStock stock) {
    Infeasible reason =
        new Infeasible(
            "No offer of the catalog can be a peer: %s.".formatted(stock.leftOut()),
            List.of(new Hint.Advice("allow more places, or measure the model on a GPU at hand")),
            null);
    return new AveragingPlanning(List.of(), 0, stock.leftOut(), reason);
  }
}
