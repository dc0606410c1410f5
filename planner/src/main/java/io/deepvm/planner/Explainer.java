package io.deepvm.planner;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.workload.ScalingCurve;
import io.deepvm.workload.parallel.SplitReport;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says why a cluster was chosen: its limits, the gain of its last node, the runner-up. */
final class Explainer {

  /** The least gain in speed for a sentence on the choice of another objective. */
  private static final double WORTH_MENTIONING = 1.25;

  private final Goal goal;
  private final Search search;
  private final Scorer scorer;
  private final List<Architecture> architectures;

  Explainer(Goal goal, Search search, Scorer scorer, List<Architecture> architectures) {
    this.goal = goal;
    this.search = search;
    this.scorer = scorer;
    this.architectures = architectures;
  }

  /** The reasons for the best cluster of one type. */
  List<String> whyFirst(Cluster first, @Nullable Cluster runnerUp, ParetoFront front) {
    List<String> why = new ArrayList<>(whyThisSize(first));
    if (runnerUp != null) {
      why.add(
          "Runner-up: %s (%s, %s/h) is %s"
              .formatted(
                  describe(runnerUp.nodes(search.needs())),
                  runnerUp.architecture().name(),
                  new Money(runnerUp.price()),
                  lost(runnerUp, first)));
    }
    why.add(
        goal.limits().pricePerHour() == null
            ? whatLimitsLeave(first)
            : whatBudgetChanges(first.merit(), first.price()));
    String faster = fasterBySpeedAlone(first.speed(), front);
    if (faster != null) {
      why.add(faster);
    }
    return why;
  }

  /** The reasons for an alternative: why it lost, and what limits it. */
  List<String> whyAlternative(Cluster alternative, Cluster first) {
    List<String> why = new ArrayList<>();
    why.add("Why not this one: " + lost(alternative, first));
    why.addAll(whyThisSize(alternative));
    return why;
  }

  /** The reasons for a mixed cluster. */
  List<String> whyMix(MixSearch.Mix mix, @Nullable Cluster bestOfOneType) {
    List<String> why = new ArrayList<>();
    why.add(
        mix.gap() == 0
            ? "Mix: proven to be the best of all mixes at one place."
            : "Mix: the best found; no mix is more than %s better."
                .formatted(Numbers.percent(mix.gap())));
    why.add(
        "Each type is counted at the share of its speed that its curve keeps at %d nodes, with batches split by speed."
            .formatted(trainingNodes(mix)));
    if (bestOfOneType != null) {
      why.add(
          "Runner-up: %s, the best of one type, is %s."
              .formatted(
                  describe(bestOfOneType.nodes(search.needs())),
                  behind(bestOfOneType.merit(), mix.merit())));
    }
    return why;
  }

  private static int trainingNodes(MixSearch.Mix mix) {
    return mix.nodes().stream()
        .filter(group -> group.offer().machine().trains())
        .mapToInt(NodeGroup::count)
        .sum();
  }

  private List<String> whyThisSize(Cluster cluster) {
    List<String> why = new ArrayList<>();
    why.add("Limit: " + limit(cluster));
    if (cluster.workers() > 1) {
      double gain = Search.marginalGain(cluster.worker(), scorer, cluster.workers());
      why.add(
          Double.isFinite(gain)
              ? "Last worker: adds %s for %s/h."
                  .formatted(Numbers.percent(gain), new Money(cluster.worker().price()))
              : "Last worker: without it, the others do not hold the model.");
    }
    why.add(cluster.architecture().describe(cluster.worker(), cluster.workers(), search.needs()));
    why.addAll(scaling(cluster));
    return why;
  }

  private static List<String> scaling(Cluster cluster) {
    ScalingCurve curve = cluster.worker().curve().curve();
    int workers = cluster.workers();
    List<String> why = new ArrayList<>();
    if (curve instanceof ScalingCurve.Exchanging exchanging) {
      why.addAll(SplitReport.of(exchanging.model(), workers));
      if (exchanging.measured() == null && !exchanging.networkAssumed()) {
        return why;
      }
    }
    why.add(
        workers == 1
            ? "Scaling: one worker trains alone, so no speed is lost; for more, %s."
                .formatted(curve.describe())
            : "Scaling: %s; %d workers are %s times as fast as one."
                .formatted(
                    curve.describe(),
                    workers,
                    Numbers.print(cluster.worker().curve().speedup(workers))));
    return why;
  }

  /** What stops the cluster from being one worker larger. */
  private String limit(Cluster cluster) {
    Architecture architecture = cluster.architecture();
    Worker worker = cluster.worker();
    int more = cluster.workers() + 1;
    if (more > Planner.MOST_NODES) {
      return "the planner plans no more than %,d workers.".formatted(Planner.MOST_NODES);
    }
    if (more > architecture.mostWorkers(worker)) {
      return "the quota, %s."
          .formatted(search.stock().limits().tightest(worker.listing(), worker.market()));
    }
    IntToLongFunction prices = architecture.prices(worker, search.needs());
    long price = prices.applyAsLong(more);
    if (price == Architecture.IMPOSSIBLE) {
      return "no anchors near %s serve %d workers.".formatted(worker.listing().place(), more);
    }
    long over = price - goal.maxPricePerHour().micros();
    if (over > 0) {
      return "the budget; %d workers would cost %s/h, %s too much."
          .formatted(more, new Money(price), new Money(over));
    }
    if (!search.gains(architecture, worker, scorer, prices, more)) {
      return tooLittle(
          Search.marginalGain(worker, scorer, more), Search.marginalPrice(prices, more));
    }
    if (!scorer.allows(worker.speed(more), price)) {
      if (worker.speed(more) <= cluster.speed()) {
        return "one more worker would slow the cluster down.";
      }
      Money cost = new Money(price).times(scorer.seconds(worker.speed(more)) / 3600);
      return "the total cost; %d workers would cost %s, and %s is allowed."
          .formatted(more, cost, goal.maxCost());
    }
    double merit = scorer.merit(worker.z(more), worker.speed(more), price);
    return "one more worker would be no better (%s instead of %s)."
        .formatted(
            scorer.print(scorer.score(merit), worker),
            scorer.print(scorer.score(cluster.merit()), worker));
  }

  /** Why one more worker is not bought. */
  private String tooLittle(double gain, double dearer) {
    LastWorker rule = goal.lastWorker();
    return rule.leastGain() > 0
        ? "one more worker would add %s, less than the %s asked for."
            .formatted(Numbers.percent(gain), Numbers.percent(rule.leastGain()))
        : "the last worker must be worth its price; one more would add %s of speed for %s more price, and at least %s is asked for."
            .formatted(
                Numbers.percent(gain),
                Numbers.percent(dearer),
                Numbers.percent(rule.leastGainPerPrice() * dearer));
  }

  /** Why one cluster lost to another. */
  private String lost(Cluster loser, Cluster winner) {
    if (loser.merit() != winner.merit()) {
      return "%s: %s.".formatted(behind(loser.merit(), winner.merit()), difference(loser, winner));
    }
    long dearer = loser.price() - winner.price();
    return dearer == 0
        ? "as good and as cheap, but larger or later in the alphabet."
        : "as good, but dearer by %s/h.".formatted(new Money(dearer));
  }

  private String difference(Cluster loser, Cluster winner) {
    Worker less = loser.worker();
    Worker more = winner.worker();
    return switch (scorer.objective()) {
      case FLOPP ->
          "%s per node against %s, %s effective nodes against %s"
              .formatted(
                  less.print(less.flopp(), "FLOP/$"),
                  more.print(more.flopp(), "FLOP/$"),
                  Numbers.print(less.curve().effectiveNodes(loser.workers())),
                  Numbers.print(more.curve().effectiveNodes(winner.workers())));
      case THROUGHPUT, TIME, COST ->
          "%s per node against %s, times a speed-up of %s against %s"
              .formatted(
                  less.print(less.flops(), "FLOPS"),
                  more.print(more.flops(), "FLOPS"),
                  Numbers.print(less.curve().speedup(loser.workers())),
                  Numbers.print(more.curve().speedup(winner.workers())));
    };
  }

  /** How far a merit is behind another, in the objective's words. */
  private String behind(double merit, double best) {
    double score = scorer.score(merit);
    double bestScore = scorer.score(best);
    return switch (scorer.objective()) {
      case FLOPP, THROUGHPUT -> Numbers.percent(1 - score / bestScore) + " behind";
      case TIME -> Numbers.percent(score / bestScore - 1) + " slower";
      case COST -> Numbers.percent(score / bestScore - 1) + " dearer";
    };
  }

  /** How much of the stated cost and deadline the cluster uses. */
  private String whatLimitsLeave(Cluster cluster) {
    double seconds = scorer.seconds(cluster.speed());
    Money cost = new Money(cluster.price()).times(seconds / 3600);
    String time = Durations.print(Durations.ofSeconds(seconds));
    return "Budget: no ceiling per hour is given; the job costs %s%s and takes %s%s."
        .formatted(
            cost,
            goal.maxCost() == null ? "" : " of the %s allowed".formatted(goal.maxCost()),
            time,
            goal.deadline() == null
                ? ""
                : " of the %s allowed".formatted(Durations.print(goal.deadline())));
  }

  /** Down to which budget the answer stays, and from which on a better one can be had. */
  String whatBudgetChanges(double merit, long price) {
    String stays = "Budget: the answer stays the same down to %s/h".formatted(new Money(price));
    Cluster next = search.cheapestBetterThan(merit, architectures, scorer);
    if (next == null) {
      return stays + ", and no budget buys a better one.";
    }
    return "%s; from %s/h on, %s (%s) is better (%s)."
        .formatted(
            stays,
            new Money(next.price()),
            describe(next.nodes(search.needs())),
            next.architecture().name(),
            scorer.print(scorer.score(next.merit()), next.worker()));
  }

  private @Nullable String fasterBySpeedAlone(double speed, ParetoFront front) {
    if (scorer.objective() != Objective.FLOPP) {
      return null;
    }
    Cluster fastest = front.fastest();
    if (fastest == null || fastest.speed() < WORTH_MENTIONING * speed) {
      return null;
    }
    return "Speed: Z does not measure it; the objective throughput would choose %s (%s/h), %s times as fast."
        .formatted(
            describe(fastest.nodes(search.needs())),
            new Money(fastest.price()),
            Numbers.print(fastest.speed() / speed));
  }

  /** "17 x g4dn.xlarge spot + 1 x c5.xlarge on-demand". */
  static String describe(List<NodeGroup> nodes) {
    return nodes.stream()
        .map(
            group ->
                "%d x %s %s"
                    .formatted(
                        group.count(), group.offer().machine().name(), group.offer().market()))
        .collect(Collectors.joining(" + "));
  }

  /** Why no cluster fits, and what would have to give by how much. */
  Planning.Infeasible infeasible() {
    return new Misfit(goal, search, scorer, architectures).explain();
  }
}
