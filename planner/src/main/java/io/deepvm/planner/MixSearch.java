package io.deepvm.planner;

import io.deepvm.catalog.Market;
import io.deepvm.catalog.Quota;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the best cluster of mixed worker types at one site. Given the total number of training
 * nodes, each type keeps the share of its speed that its own curve says, so a mix is worth the sum
 * of its nodes and an integer program chooses them; the frames are tried by their upper bound until
 * none can beat the best found.
 */
final class MixSearch {

  /** Frames that are solved at most before the search states the gap that is left. */
  private static final int MOST_SOLVED = 2000;

  /** The solver sees values to nine digits, so smaller differences are none. */
  private static final double TOLERANCE = 1e-9;

  private final Search search;
  private final Scorer scorer;
  private final long budget;
  private final MixSolver solver = new MixSolver();

  private Incumbent best;
  private double unproven;

  MixSearch(Search search, Scorer scorer, long budget, @Nullable Cluster bestOfOneType) {
    this.search = search;
    this.scorer = scorer;
    this.budget = budget;
    best = new Incumbent(bestOfOneType == null ? hopeless() : bestOfOneType.merit(), null);
  }

  /** A mixed cluster, how good it is, and how far from it the optimum may still be. */
  record Mix(
      Architecture architecture,
      List<NodeGroup> nodes,
      Worker mainWorker,
      long price,
      double z,
      double speed,
      double merit,
      double gap) {}

  private record Incumbent(double merit, @Nullable Mix mix) {}

  private record Open(Architecture architecture, MixFrame frame, double bound) {}

  /** Returns the best mix if one has more merit than the best cluster of one type, else null. */
  @Nullable Mix run(List<Architecture> architectures) {
    PriorityQueue<Open> queue = open(architectures);
    int solved = 0;
    while (!queue.isEmpty() && solved < MOST_SOLVED) {
      Open open = queue.remove();
      // A ratio improves step by step until its frame has nothing better to offer.
      while (bound(open.frame()) > 0 && solve(open)) {
        solved++;
      }
      solved++;
    }
    for (Open open : queue) {
      unproven = Math.max(unproven, bound(open.frame()));
    }
    Mix mix = best.mix();
    return mix == null
        ? null
        : new Mix(
            mix.architecture(),
            mix.nodes(),
            mix.mainWorker(),
            mix.price(),
            mix.z(),
            mix.speed(),
            mix.merit(),
            unproven);
  }

  private PriorityQueue<Open> open(List<Architecture> architectures) {
    PriorityQueue<Open> queue =
        new PriorityQueue<>(Comparator.comparingDouble(Open::bound).reversed());
    for (Architecture architecture : architectures) {
      for (Site site : search.stock().sites()) {
        long cheapest = site.workers().stream().mapToLong(Worker::price).min().orElse(budget + 1);
        long most = Math.min(Planner.MOST_NODES, budget / cheapest + 1);
        for (int n = 1; n <= most; n++) {
          for (MixFrame any : architecture.frames(site, n, search.needs())) {
            MixFrame frame = any.ofMovingWorkers();
            double bound = frame.isPossible() ? bound(frame) : 0;
            if (bound > 0) {
              queue.add(new Open(architecture, frame, bound));
            }
          }
        }
      }
    }
    return queue;
  }

  /** How much better than the best so far the frame may be at the most, relative; 0 if not. */
  private double bound(MixFrame frame) {
    if (frame.fixedPrice() > budget) {
      return 0;
    }
    long[] prices = frame.choices().stream().mapToLong(Worker::price).toArray();
    double open =
        MixProblem.bound(values(frame), prices, frame.open(), budget - frame.fixedPrice());
    return excess(frame, open);
  }

  /** What a value of the open nodes means for the whole cluster, relative to the best so far. */
  private double excess(MixFrame frame, double openValue) {
    double more = (openValue + fixedValue(frame) - target()) / scale(frame);
    return more > TOLERANCE ? more : 0;
  }

  /** Solves one frame; returns whether that gave a new best that the same frame may yet beat. */
  private boolean solve(Open open) {
    MixFrame frame = open.frame();
    double[] values = values(frame);
    MixSolver.Choice choice = solver.solve(problem(frame, values));
    if (choice == null) {
      return false;
    }
    int[] counts = choice.counts();
    long price = frame.fixedPrice();
    double speed = frame.fixedWorker() == null ? 0 : speedShare(frame.fixedWorker(), frame);
    double z = frame.fixedWorker() == null ? 0 : zShare(frame.fixedWorker(), frame);
    int main = 0;
    for (int i = 0; i < counts.length; i++) {
      Worker worker = frame.choices().get(i);
      price += worker.price() * counts[i];
      speed += speedShare(worker, frame) * counts[i];
      z += zShare(worker, frame) * counts[i];
      main = counts[i] > counts[main] ? i : main;
    }
    double merit = scorer.merit(z, speed, price);
    boolean better = merit > best.merit() + TOLERANCE * Math.abs(best.merit());
    if (better && price <= budget && scorer.allows(speed, price)) {
      Worker mainWorker = frame.choices().get(main);
      best =
          new Incumbent(
              merit,
              new Mix(
                  open.architecture(), frame.nodes(counts), mainWorker, price, z, speed, merit, 0));
    }
    if (!choice.optimal()) {
      unproven = Math.max(unproven, excess(frame, choice.bound()));
    }
    return better && choice.optimal() && scorer.objective() == Objective.COST;
  }

  private MixProblem problem(MixFrame frame, double[] values) {
    List<Worker> choices = frame.choices();
    return new MixProblem(
        values,
        choices.stream().mapToLong(Worker::price).toArray(),
        choices.stream().mapToInt(Worker::limit).toArray(),
        frame.open(),
        budget - frame.fixedPrice(),
        pools(frame),
        floors(frame));
  }

  /** The quotas that the choices share, less what the settled worker draws on them. */
  private List<MixProblem.Pool> pools(MixFrame frame) {
    List<Worker> choices = frame.choices();
    Map<Quota, double[]> draws = new LinkedHashMap<>();
    for (int i = 0; i < choices.size(); i++) {
      Worker worker = choices.get(i);
      for (Quota quota : search.stock().limits().covering(worker.listing(), worker.market())) {
        draws.computeIfAbsent(quota, q -> new double[choices.size()])[i] =
            quota.drawnBy(worker.listing().machine());
      }
    }
    List<MixProblem.Pool> pools = new ArrayList<>();
    Worker fixed = frame.fixedWorker();
    List<Quota> taken =
        fixed == null
            ? List.of()
            : search.stock().limits().covering(fixed.listing(), Market.ON_DEMAND);
    draws.forEach(
        (quota, drawn) ->
            pools.add(
                new MixProblem.Pool(
                    drawn,
                    quota.limit()
                        - (fixed != null && taken.contains(quota)
                            ? quota.drawnBy(fixed.listing().machine())
                            : 0))));
    return pools;
  }

  private List<MixProblem.Floor> floors(MixFrame frame) {
    double[] speeds = frame.choices().stream().mapToDouble(w -> speedShare(w, frame)).toArray();
    long[] prices = frame.choices().stream().mapToLong(Worker::price).toArray();
    double fixedSpeed = frame.fixedWorker() == null ? 0 : speedShare(frame.fixedWorker(), frame);
    return scorer.floors(speeds, prices, fixedSpeed, frame.fixedPrice());
  }

  // For flopp, throughput and time the value of a node is what it adds to Z or to the speed. For
  // cost it is what it adds to (best dollars per speed so far) x speed - dollars: the total is
  // positive exactly when the cluster is cheaper per speed than the best so far (Dinkelbach).

  private double[] values(MixFrame frame) {
    return frame.choices().stream().mapToDouble(w -> value(w, frame, w.price())).toArray();
  }

  private double fixedValue(MixFrame frame) {
    Worker fixed = frame.fixedWorker();
    if (fixed != null) {
      return value(fixed, frame, frame.fixedPrice());
    }
    return scorer.objective() == Objective.COST ? -frame.fixedPrice() : 0;
  }

  private double value(Worker worker, MixFrame frame, long price) {
    return switch (scorer.objective()) {
      case FLOPP -> zShare(worker, frame);
      case THROUGHPUT, TIME -> speedShare(worker, frame);
      case COST -> scorer.pricePerSpeed(best.merit()) * speedShare(worker, frame) - price;
    };
  }

  /** What the best so far is worth in that unit. */
  private double target() {
    return switch (scorer.objective()) {
      case FLOPP, THROUGHPUT -> best.merit();
      case TIME -> scorer.speedFor(-best.merit());
      case COST -> 0;
    };
  }

  /** What a relative difference is relative to. */
  private double scale(MixFrame frame) {
    return scorer.objective() == Objective.COST
        ? frame.fixedPrice() + 1
        : Math.max(target(), Double.MIN_NORMAL);
  }

  /** A merit that every cluster within the budget beats. */
  private double hopeless() {
    double slowest =
        search.stock().workers().stream()
            .mapToDouble(w -> w.speed(Planner.MOST_NODES) / Planner.MOST_NODES)
            .filter(speed -> speed > 0)
            .min()
            .orElse(1);
    return switch (scorer.objective()) {
      case FLOPP, THROUGHPUT -> 0;
      case TIME, COST -> 2 * scorer.merit(0, slowest, budget);
    };
  }

  private static double speedShare(Worker worker, MixFrame frame) {
    return worker.speed(frame.workers()) / frame.workers();
  }

  private static double zShare(Worker worker, MixFrame frame) {
    return worker.z(frame.workers()) / frame.workers();
  }
}
