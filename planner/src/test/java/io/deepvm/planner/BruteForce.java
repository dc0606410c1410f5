package io.deepvm.planner;

import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Quota;
import io.deepvm.workload.Job;
import io.deepvm.workload.NetworkSaturation;
import io.deepvm.workload.ScalingCurve;
import io.deepvm.workload.Work;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The planner's rules written down once more, as slowly and plainly as possible: every multiset of
 * nodes is built and checked, none is skipped.
 */
final class BruteForce {

  /** A whole cluster. */
  record Found(double score, Money price, int workers) {}

  /** A machine that trains, on one of the markets asked for. */
  private record Node(Listing listing, Market market) {

    long price() {
      return Objects.requireNonNull(listing.offer(market)).pricePerHour().micros();
    }

    Machine machine() {
      return listing.machine();
    }
  }

  /** Every cluster of one type has a size; a mix has none, and is its own kind. */
  private record Size(List<Node> types, int workers) {}

  private record Candidate(Found found, Size size, double value, boolean allowed) {}

  private final Catalog catalog;
  private final Job job;
  private final Goal goal;
  private final boolean tiering;
  private final List<Candidate> candidates = new ArrayList<>();
  private final Map<Size, Long> cheapest = new HashMap<>();

  BruteForce(Catalog catalog, Job job, Goal goal, String architecture) {
    this.catalog = catalog;
    this.job = job;
    this.goal = goal;
    this.tiering = architecture.equals("tiering");
  }

  @Nullable Found best() {
    for (String zone : zones()) {
      List<Listing> here =
          catalog.listings().stream().filter(l -> Objects.equals(l.place().zone(), zone)).toList();
      List<Node> workers = new ArrayList<>();
      for (Listing listing : here) {
        for (Market market : goal.offers().markets()) {
          boolean needless = tiering && market == Market.ON_DEMAND;
          if (listing.machine().trains() && listing.offer(market) != null && !needless) {
            workers.add(new Node(listing, market));
          }
        }
      }
      choose(workers, 0, new int[workers.size()], here);
    }
    Found best = null;
    for (Candidate candidate : candidates) {
      if (candidate.allowed
          && gainsEnough(candidate)
          && (best == null || isBetter(candidate.found, best))) {
        best = candidate.found;
      }
    }
    return best;
  }

  private List<String> zones() {
    return catalog.listings().stream()
        .map(l -> String.valueOf(l.place().zone()))
        .distinct()
        .toList();
  }

  private void choose(List<Node> workers, int index, int[] counts, List<Listing> here) {
    if (index == workers.size()) {
      complete(workers, counts, here);
      return;
    }
    boolean othersChosen = false;
    for (int i = 0; i < index; i++) {
      othersChosen |= counts[i] > 0;
    }
    for (int count = 0; ; count++) {
      counts[index] = count;
      if (micros(workers, counts, index) > goal.maxPricePerHour().micros()) {
        break;
      }
      choose(workers, index + 1, counts, here);
      if (!goal.mix() && othersChosen) {
        break; // one type only
      }
    }
    counts[index] = 0;
  }

  private static long micros(List<Node> workers, int[] counts, int upTo) {
    long micros = 0;
    for (int i = 0; i <= upTo; i++) {
      micros += workers.get(i).price() * counts[i];
    }
    return micros;
  }

  private void complete(List<Node> workers, int[] counts, List<Listing> here) {
    int chosen = 0;
    int onDemand = 0;
    for (int i = 0; i < counts.length; i++) {
      chosen += counts[i];
      onDemand += workers.get(i).market == Market.ON_DEMAND ? counts[i] : 0;
    }
    if (chosen == 0 || !quotasHold(workers, counts)) {
      return;
    }
    long price = micros(workers, counts, counts.length - 1);
    if (tiering) {
      completeWithAnchors(workers, counts, chosen, price, here);
    } else if (onDemand > 0) {
      judge(workers, counts, price);
    } else {
      completeWithOneOnDemand(workers, counts, price);
    }
  }

  private void completeWithOneOnDemand(List<Node> workers, int[] counts, long price) {
    for (int i = 0; i < workers.size(); i++) {
      Listing anchor = workers.get(i).listing;
      if (anchor.onDemand() == null
          || workers.get(i).market == Market.ON_DEMAND
          || (!goal.mix() && counts[i] == 0)) {
        continue;
      }
      if (quotasHold(List.of(new Node(anchor, Market.ON_DEMAND)), new int[] {1})) {
        int[] training = counts.clone();
        training[i]++;
        judge(workers, training, price + anchor.onDemand().micros());
      }
    }
  }

  private void completeWithAnchors(
      List<Node> workers, int[] counts, int chosen, long price, List<Listing> here) {
    for (Listing anchor : here) {
      if (anchor.machine().trains() || anchor.onDemand() == null) {
        continue;
      }
      for (int m = 1; m <= 80; m++) {
        if (quotasHold(List.of(new Node(anchor, Market.ON_DEMAND)), new int[] {m})
            && anchorsSuffice(workers, counts, chosen, anchor, m)) {
          judge(workers, counts, price + anchor.onDemand().micros() * m);
        }
      }
    }
  }

  private boolean anchorsSuffice(List<Node> workers, int[] counts, int n, Listing anchor, int m) {
    double anchorGbps = Objects.requireNonNull(anchor.machine().network()).gbps();
    double slowest = Double.POSITIVE_INFINITY;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        if (workers.get(i).machine().network() == null) {
          return false;
        }
        slowest =
            Math.min(slowest, Objects.requireNonNull(workers.get(i).machine().network()).gbps());
      }
    }
    double saturation =
        NetworkSaturation.workersPerAnchor(
            io.deepvm.base.Bandwidth.ofGbps(Math.min(slowest, anchorGbps)));
    double bytes = goal.checkpoint().bytes();
    double seconds = goal.checkpoints().interval().toSeconds();
    int shards = goal.checkpoints().anchorMemory() == AnchorMemory.WHOLE ? n : (n + m - 1) / m;
    double memory = Objects.requireNonNull(anchor.machine().memory()).bytes();
    return n / (double) m < saturation
        && memory >= goal.checkpoints().anchorSlots() * bytes * shards / n
        && bytes <= 0.5 * seconds * m * anchorGbps * 1e9 / 8
        && bytes <= 0.5 * seconds * n * slowest * 1e9 / 8;
  }

  private boolean quotasHold(List<Node> nodes, int[] counts) {
    Map<Quota, Double> drawn = new HashMap<>();
    for (int i = 0; i < counts.length; i++) {
      for (Quota quota : catalog.quotas()) {
        Node node = nodes.get(i);
        if (counts[i] > 0 && quota.market() == node.market && quota.covers(node.machine())) {
          drawn.merge(quota, quota.drawnBy(node.machine()) * counts[i], Double::sum);
        }
      }
    }
    return drawn.entrySet().stream().allMatch(e -> e.getValue() <= e.getKey().limit());
  }

  private void judge(List<Node> workers, int[] training, long price) {
    boolean over = price > goal.maxPricePerHour().micros();
    if (over && goal.lastWorker().leastGainPerPrice() == 0) {
      return; // no other cluster is compared with it
    }
    int n = 0;
    List<Node> types = new ArrayList<>();
    for (int i = 0; i < training.length; i++) {
      n += training[i];
      if (training[i] > 0) {
        types.add(workers.get(i));
      }
    }
    cheapest.merge(new Size(types, n), price, Math::min);
    double speed = total(workers, training, n, false);
    double z = total(workers, training, n, true);
    Work work = Objects.requireNonNull(job.work());
    double seconds = work.secondsAt(speed);
    double dollars = seconds * price / 3600e6;
    boolean late =
        goal.deadline() != null
            && (speed <= 0 || seconds > goal.deadline().toMillis() / 1e3 * (1 + 1e-12));
    boolean dear = goal.maxCost() != null && dollars > goal.maxCost().dollars() * (1 + 1e-12);
    double score =
        switch (goal.objective()) {
          case FLOPP -> z;
          case THROUGHPUT -> speed;
          case TIME -> seconds;
          case COST -> dollars;
        };
    candidates.add(
        new Candidate(
            new Found(score, new Money(price), n),
            new Size(types, n),
            goal.objective() == Objective.FLOPP ? z : speed,
            allMove(workers, training, n) && !late && !dear && !over));
  }

  private boolean allMove(List<Node> workers, int[] training, int n) {
    for (int i = 0; i < training.length; i++) {
      if (training[i] > 0 && job.scaling().of(workers.get(i).machine()).speedup(n) <= 0) {
        return false;
      }
    }
    return true;
  }

  /** The rule of the last worker, between the cheapest clusters of two sizes. */
  private boolean gainsEnough(Candidate candidate) {
    Node type = candidate.size.types.get(0);
    int n = candidate.size.workers;
    int fewest = tiering || type.market == Market.ON_DEMAND ? 1 : 2;
    if (goal.lastWorker().buysOn() || n <= fewest) {
      return true;
    }
    Long with = cheapest.get(candidate.size);
    Long without = cheapest.get(new Size(candidate.size.types, n - 1));
    double value = value(type, n - 1);
    double gain = candidate.value / value - 1;
    double dearer = with == null || without == null ? 0 : with / (double) without - 1;
    boolean lateWithout =
        goal.deadline() != null
            && Objects.requireNonNull(job.work()).secondsAt(speed(type, n - 1))
                > goal.deadline().toMillis() / 1e3 * (1 + 1e-12);
    boolean neededInTime = lateWithout || (goal.deadline() != null && speed(type, n - 1) <= 0);
    LastWorker rule = goal.lastWorker();
    return rule.leastGain() > 0
        ? gain >= rule.leastGain()
        : gain >= rule.leastGainPerPrice() * dearer || neededInTime;
  }

  private double speed(Node type, int n) {
    return total(List.of(type), new int[] {n}, n, false);
  }

  private double value(Node type, int n) {
    return total(List.of(type), new int[] {n}, n, goal.objective() == Objective.FLOPP);
  }

  private double total(List<Node> workers, int[] counts, int n, boolean z) {
    double total = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        Node worker = workers.get(i);
        double flops = Objects.requireNonNull(worker.machine().flops(job.precision()));
        ScalingCurve curve = job.scaling().of(worker.machine());
        double each =
            z
                ? flops / (worker.price() / 1e6) * 3600 * curve.factor(n)
                : flops * curve.speedup(n) / n;
        total += each * counts[i];
      }
    }
    return total;
  }

  private boolean isBetter(Found a, Found b) {
    boolean more = goal.objective() == Objective.FLOPP || goal.objective() == Objective.THROUGHPUT;
    double ahead = (Scorer.tenDigits(a.score()) - Scorer.tenDigits(b.score())) * (more ? 1 : -1);
    return ahead > 0 || (ahead == 0 && a.price().compareTo(b.price()) < 0);
  }

  /** The constraints that a plan breaks, in words; empty when it keeps all. */
  static List<String> violations(Plan plan, Goal goal, Catalog catalog) {
    List<String> broken = new ArrayList<>();
    long price = plan.nodes().stream().mapToLong(g -> g.pricePerHour().micros()).sum();
    if (price != plan.pricePerHour().micros()) {
      broken.add("the price is not the sum of its nodes");
    }
    if (price > goal.maxPricePerHour().micros()) {
      broken.add("over budget");
    }
    for (Quota quota : catalog.quotas()) {
      double drawn =
          plan.nodes().stream()
              .filter(
                  g -> g.offer().market() == quota.market() && quota.covers(g.offer().machine()))
              .mapToDouble(g -> quota.drawnBy(g.offer().machine()) * g.count())
              .sum();
      if (drawn > quota.limit()) {
        broken.add("over quota " + quota);
      }
    }
    Double seconds = plan.predicted().seconds();
    if (goal.deadline() != null
        && Objects.requireNonNull(seconds) * 1e3 > goal.deadline().toMillis() * (1 + 1e-12)) {
      broken.add("late");
    }
    if (goal.maxCost() != null
        && Objects.requireNonNull(plan.predicted().cost()).micros() > goal.maxCost().micros() + 1) {
      broken.add("too costly");
    }
    if (plan.nodes().stream().map(g -> g.offer().place()).distinct().count() > 1) {
      broken.add("spread over places that are not near each other");
    }
    return broken;
  }
}
