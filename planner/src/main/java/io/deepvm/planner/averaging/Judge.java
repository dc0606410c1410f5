package io.deepvm.planner.averaging;

import io.deepvm.base.Money;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.Exchange;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.PeerGroup;
import java.util.List;

/** Weighs clusters by the goal, in plain numbers: higher is better. */
final class Judge {

  /** The merit of what may not be rented at all. */
  static final double IMPOSSIBLE = Double.NEGATIVE_INFINITY;

  /** Clusters that are too slow or cost too much rank below all others, the nearest first. */
  private static final double FAILING = -1e9;

  private final AveragingModel model;
  private final AveragingGoal goal;
  private final PeerStock stock;
  private long considered;

  Judge(AveragingModel model, AveragingGoal goal, PeerStock stock) {
    this.model = model;
    this.goal = goal;
    this.stock = stock;
  }

  long considered() {
    return considered;
  }

  double merit(PeerCluster cluster) {
    considered++;
    if (!cluster.fits(goal)) {
      return IMPOSSIBLE;
    }
    List<PeerGroup> groups = cluster.groups();
    double machines = AveragingModel.machinesPerHour(groups).dollars();
    Money most = goal.maxPricePerHour();
    if ((most != null && machines > most.dollars()) || !stock.allows(cluster)) {
      return IMPOSSIBLE;
    }
    Exchange exchange = model.exchange(groups);
    double round = model.roundSeconds(exchange, groups, goal.largestTargetBatch());
    double perHour = machines + exchange.dollars() * 3600 / round;
    if (most != null && perHour > most.dollars()) {
      return IMPOSSIBLE;
    }
    return merit(goal.largestTargetBatch() / round, perHour);
  }

  private double merit(double samplesPerSecond, double perHour) {
    double missing = missing(samplesPerSecond, perHour);
    if (missing > 0) {
      return FAILING * (1 + missing);
    }
    return switch (goal.aim()) {
      case THROUGHPUT -> samplesPerSecond;
      case COST_PER_SAMPLE -> -perHour / samplesPerSecond;
      case PRICE_PER_HOUR -> -perHour;
    };
  }

  /** By which share speed and cost together miss what is asked for. */
  private double missing(double samplesPerSecond, double perHour) {
    Double least = goal.minSamplesPerSecond();
    Double most = goal.maxDollarsPerMillion();
    double speed = least == null ? 0 : least / samplesPerSecond - 1;
    double cost = most == null ? 0 : perHour / 3600 / samplesPerSecond * 1e6 / most - 1;
    return Math.max(0, speed) + Math.max(0, cost);
  }

  /** Returns whether a cluster of this merit keeps all limits. */
  static boolean feasible(double merit) {
    return merit > FAILING / 2;
  }

  /** Whether the exact price, to the micro-dollar, is within the limits. */
  boolean affordable(Forecast forecast) {
    Money perHour = goal.maxPricePerHour();
    Double perMillion = goal.maxDollarsPerMillion();
    return (perHour == null || forecast.pricePerHour().compareTo(perHour) <= 0)
        && (perMillion == null || forecast.dollarsPerMillion() <= perMillion);
  }

  /** The number that the goal speaks of. */
  double score(Forecast forecast) {
    return switch (goal.aim()) {
      case THROUGHPUT -> forecast.samplesPerSecond();
      case COST_PER_SAMPLE -> forecast.dollarsPerMillion();
      case PRICE_PER_HOUR -> forecast.pricePerHour().dollars();
    };
  }
}
