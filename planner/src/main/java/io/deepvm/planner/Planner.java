package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Market;
import io.deepvm.workload.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** The four stages: goal, offers by FLOPP, the optimum per architecture, the final choice. */
public final class Planner {

  /** Larger clusters are not planned: no curve was ever measured near this size. */
  public static final int MOST_NODES = 1000;

  private static final int RANKED_OFFERS = 50;

  private final Catalog catalog;
  private final Job job;

  public Planner(Catalog catalog, Job job) {
    this.catalog = catalog;
    this.job = job;
  }

  /** Returns the best plans for the goal, or the reason why there is none. */
  public Planning plan(Goal goal) {
    List<Architecture> architectures = chosen(goal);
    Scorer scorer = new Scorer(goal, job);
    Stock stock = Stock.of(catalog, job, goal);
    Search search = new Search(stock, CheckpointNeeds.of(goal.checkpoints()), goal.lastWorker());
    Explainer explainer = new Explainer(goal, search, scorer, architectures);
    long budget = goal.maxPricePerHour().micros();

    ParetoFront front = new ParetoFront();
    List<Planning.Stage> stages = new ArrayList<>();
    List<Cluster> champions = new ArrayList<>();
    for (Architecture architecture : architectures) {
      long before = search.considered();
      List<Cluster> own = new ArrayList<>();
      for (Worker worker : stock.workers()) {
        Cluster best = search.best(architecture, worker, scorer, budget, front);
        if (best != null) {
          own.add(best);
        }
      }
      Cluster best = own.stream().min(Cluster.BEST_FIRST).orElse(null);
      stages.add(
          new Planning.Stage(
              architecture.name(),
              search.considered() - before,
              best == null ? null : plan(best, search, scorer, List.of())));
      champions.addAll(own);
    }
    List<Plan> plans = choose(goal, champions, front, search, scorer, explainer, architectures);
    return new Planning(
        goal,
        ranking(stock),
        stock.leftOut(),
        stages,
        plans,
        front.clusters().stream().map(c -> plan(c, search, scorer, List.of())).toList(),
        plans.isEmpty() ? explainer.infeasible() : null);
  }

  /** Stage four: the best, then the best of each other kind of cluster. */
  private static List<Plan> choose(
      Goal goal,
      List<Cluster> champions,
      ParetoFront front,
      Search search,
      Scorer scorer,
      Explainer explainer,
      List<Architecture> architectures) {
    List<Cluster> diverse = diverse(champions);
    Cluster first = diverse.isEmpty() ? null : diverse.get(0);
    List<Plan> plans = new ArrayList<>();
    MixSearch.Mix mix = mix(goal, search, scorer, architectures, first);
    if (mix != null) {
      plans.add(plan(mix, scorer, explainer.whyMix(mix, first)));
    }
    for (int i = 0; i < diverse.size() && plans.size() < goal.alternatives(); i++) {
      Cluster runnerUp = diverse.size() > 1 ? diverse.get(1) : null;
      List<String> why =
          i == 0
              ? explainer.whyFirst(diverse.get(0), runnerUp, front)
              : explainer.whyAlternative(diverse.get(i), diverse.get(0));
      plans.add(withSpeed(plan(diverse.get(i), search, scorer, why), diverse.get(i), search));
    }
    return plans;
  }

  /** Says what the speed of one worker stands on, unless that is its datasheet. */
  private static Plan withSpeed(Plan plan, Cluster cluster, Search search) {
    String speed = search.stock().speeds().describe(cluster.worker().listing().machine());
    return speed == null ? plan : plan.withReason(speed);
  }

  private static MixSearch.@Nullable Mix mix(
      Goal goal,
      Search search,
      Scorer scorer,
      List<Architecture> architectures,
      @Nullable Cluster first) {
    if (!goal.mix() || search.stock().workers().isEmpty()) {
      return null;
    }
    long budget = goal.maxPricePerHour().micros();
    return new MixSearch(search, scorer, budget, first).run(architectures);
  }

  /** Keeps the best cluster of each architecture and worker type, best first. */
  private static List<Cluster> diverse(List<Cluster> champions) {
    record Kind(String architecture, String worker) {}
    Map<Kind, Cluster> best = new HashMap<>();
    for (Cluster cluster : champions) {
      best.merge(
          new Kind(cluster.architecture().name(), cluster.worker().name()),
          cluster,
          BinaryOperator.minBy(Cluster.BEST_FIRST));
    }
    return best.values().stream().sorted(Cluster.BEST_FIRST).toList();
  }

  private static Plan plan(Cluster cluster, Search search, Scorer scorer, List<String> why) {
    double speed = cluster.speed();
    return new Plan(
        cluster.architecture().name(),
        cluster.nodes(search.needs()),
        new Money(cluster.price()),
        scorer.objective(),
        scorer.score(cluster.worker().z(cluster.workers()), speed, cluster.price()),
        0,
        scorer.predict(cluster.worker().curve().speedup(cluster.workers()), speed, cluster.price()),
        why);
  }

  private static Plan plan(MixSearch.Mix mix, Scorer scorer, List<String> why) {
    return new Plan(
        mix.architecture().name(),
        mix.nodes(),
        new Money(mix.price()),
        scorer.objective(),
        scorer.score(mix.z(), mix.speed(), mix.price()),
        mix.gap(),
        scorer.predict(mix.speed() / mix.mainWorker().flops(), mix.speed(), mix.price()),
        why);
  }

  /** Stage two: each machine once per region, where it is cheapest. */
  private static List<RankedOffer> ranking(Stock stock) {
    record Kind(String machine, String cloud, String region) {}
    Set<Kind> seen = new HashSet<>();
    return stock.workers().stream()
        .sorted(Comparator.comparingDouble(Worker::flopp).reversed())
        .filter(
            w ->
                seen.add(
                    new Kind(w.name(), w.listing().place().cloud(), w.listing().place().region())))
        .limit(RANKED_OFFERS)
        .map(w -> new RankedOffer(w.offer(), w.flops(), w.flopp()))
        .toList();
  }

  private static List<Architecture> chosen(Goal goal) {
    goal.architectures().forEach(Architectures::family);
    if (goal.architectures().equals(Set.of(Tiering.NAME))
        && !goal.offers().markets().contains(Market.SPOT)) {
      throw new BadInput(
          "Tiering keeps the checkpoints of spot workers; on-demand workers need no CPU anchors.",
          "Maybe --architecture single-anchor, or --market spot.");
    }
    return Architecture.ALL.stream()
        .filter(a -> goal.architectures().isEmpty() || goal.architectures().contains(a.name()))
        .toList();
  }
}
