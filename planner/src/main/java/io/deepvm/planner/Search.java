package io.deepvm.planner;

import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Weighs every cluster of one worker type: each architecture, listing and number of workers with
 * the cheapest anchors. That is all there is to weigh, because anchors add to the price alone, so
 * what it finds is the exact optimum.
 */
final class Search {

  private final Stock stock;
  private final CheckpointNeeds needs;
  private final LastWorker lastWorker;
  private long considered;

  Search(Stock stock, CheckpointNeeds needs, LastWorker lastWorker) {
    this.stock = stock;
    this.needs = needs;
    this.lastWorker = lastWorker;
  }

  Stock stock() {
    return stock;
  }

  CheckpointNeeds needs() {
    return needs;
  }

  /** How many clusters have been weighed so far. */
  long considered() {
    return considered;
  }

  /** Returns the best cluster of one listing within the budget, or null. */
  @Nullable Cluster best(Architecture architecture, Worker worker, Scorer scorer, long budget) {
    return best(architecture, worker, scorer, budget, null);
  }

  /** The same, with every cluster on the way offered to the front. */
  @Nullable Cluster best(
      Architecture architecture,
      Worker worker,
      Scorer scorer,
      long budget,
      @Nullable ParetoFront front) {
    if (!architecture.accepts(worker)) {
      return null;
    }
    IntToLongFunction prices = architecture.prices(worker, needs);
    int most = mostWorkers(architecture, worker, budget);
    int bestWorkers = 0;
    long bestPrice = 0;
    double bestMerit = Double.NEGATIVE_INFINITY;
    for (int n = architecture.fewestWorkers(worker); n <= most; n++) {
      considered++;
      long price = prices.applyAsLong(n);
      if (price > budget) {
        continue;
      }
      double speed = worker.speed(n);
      double z = worker.z(n);
      if (!scorer.allows(speed, price) || !gains(architecture, worker, scorer, prices, n)) {
        continue;
      }
      double merit = scorer.merit(z, speed, price);
      if (merit > bestMerit || (merit == bestMerit && price < bestPrice)) {
        bestWorkers = n;
        bestPrice = price;
        bestMerit = merit;
      }
      if (front != null && front.accepts(price, speed)) {
        front.add(new Cluster(architecture, worker, n, price, merit), speed);
      }
    }
    return bestWorkers == 0
        ? null
        : new Cluster(architecture, worker, bestWorkers, bestPrice, bestMerit);
  }

  /** Returns the best cluster of all listings and architectures within the budget, or null. */
  @Nullable Cluster best(Iterable<Architecture> architectures, Scorer scorer, long budget) {
    Cluster best = null;
    for (Architecture architecture : architectures) {
      for (Worker worker : stock.workers()) {
        Cluster cluster = best(architecture, worker, scorer, budget);
        if (cluster != null && (best == null || Cluster.BEST_FIRST.compare(cluster, best) < 0)) {
          best = cluster;
        }
      }
    }
    return best;
  }

  /** Returns the cheapest cluster per hour with more merit than this, at any budget, or null. */
  @Nullable Cluster cheapestBetterThan(
      double merit, Iterable<Architecture> architectures, Scorer scorer) {
    Cluster cheapest = null;
    long least = Architecture.IMPOSSIBLE;
    for (Architecture architecture : architectures) {
      for (Worker worker : stock.workers()) {
        if (!architecture.accepts(worker)) {
          continue;
        }
        IntToLongFunction prices = architecture.prices(worker, needs);
        int most = mostWorkers(architecture, worker, least);
        for (int n = architecture.fewestWorkers(worker); n <= most; n++) {
          long floor = worker.price() * (n - 1);
          if (floor >= least) {
            break;
          }
          double speed = worker.speed(n);
          double z = worker.z(n);
          // Anchors only add to the price, so a cluster without them is at least as good.
          if (!(scorer.merit(z, speed, floor) > merit)) {
            continue;
          }
          long price = prices.applyAsLong(n);
          if (price < least
              && scorer.merit(z, speed, price) > merit
              && scorer.allows(speed, price)
              && gains(architecture, worker, scorer, prices, n)) {
            least = price;
            cheapest = new Cluster(architecture, worker, n, price, scorer.merit(z, speed, price));
          }
        }
      }
    }
    return cheapest;
  }

  /**
   * Returns whether the last worker brings what the rule asks for. The rule on its price also lets
   * in a worker without which the deadline is missed.
   */
  boolean gains(
      Architecture architecture,
      Worker worker,
      Scorer scorer,
      IntToLongFunction prices,
      int workers) {
    if (lastWorker.buysOn() || workers <= architecture.fewestWorkers(worker)) {
      return true;
    }
    return lastWorker.isWorth(marginalGain(worker, scorer, workers), marginalPrice(prices, workers))
        || (lastWorker.leastGain() == 0 && scorer.isLate(worker.speed(workers - 1)));
  }

  /** What the last worker adds to the price of the cluster without it, relative. */
  static double marginalPrice(IntToLongFunction prices, int workers) {
    long without = prices.applyAsLong(workers - 1);
    return without == Architecture.IMPOSSIBLE
        ? 0
        : prices.applyAsLong(workers) / (double) without - 1;
  }

  /** What the last worker adds to the cluster without it, relative. */
  static double marginalGain(Worker worker, Scorer scorer, int workers) {
    double with = scorer.value(worker.z(workers), worker.speed(workers));
    double without = scorer.value(worker.z(workers - 1), worker.speed(workers - 1));
    return with / without - 1;
  }

  /** The most workers that quotas, the budget and the planner's own ceiling leave room for. */
  private static int mostWorkers(Architecture architecture, Worker worker, long budget) {
    int most = Math.min(Planner.MOST_NODES, architecture.mostWorkers(worker));
    return (int) Math.min(most, budget / worker.price() + 1);
  }
}
