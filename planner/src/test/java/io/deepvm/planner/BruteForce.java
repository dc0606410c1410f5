package io.deepvm.planner;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Quota;
import io.deepvm.units.Money;
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

  /** A whole cluster: how many of each listing on which market, and its role. */
  record Found(double score, Money price, int workers) {}

  private final Catalog catalog;
  private final Job job;
  private final Goal goal;
  private final boolean tiering;
  private @Nullable Found best;

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
      List<Listing> workers =
          here.stream().filter(l -> l.machine().trains() && l.spot() != null).toList();
      chooseSpot(workers, 0, new int[workers.size()], here);
    }
    return best;
  }

  private List<String> zones() {
    return catalog.listings().stream()
        .map(l -> String.valueOf(l.place().zone()))
        .distinct()
        .toList();
  }

  private void chooseSpot(List<Listing> workers, int index, int[] counts, List<Listing> here) {
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
      if (spotMicros(workers, counts, index) > goal.maxPricePerHour().micros()) {
        break;
      }
      chooseSpot(workers, index + 1, counts, here);
      if (!goal.mix() && othersChosen) {
        break; // one type only
      }
    }
    counts[index] = 0;
  }

  private static long spotMicros(List<Listing> workers, int[] counts, int upTo) {
    long micros = 0;
    for (int i = 0; i <= upTo; i++) {
      micros += Objects.requireNonNull(workers.get(i).spot()).micros() * counts[i];
    }
    return micros;
  }

  private void complete(List<Listing> workers, int[] counts, List<Listing> here) {
    int spot = 0;
    for (int count : counts) {
      spot += count;
    }
    if (spot == 0) {
      return;
    }
    long spotPrice = spotMicros(workers, counts, counts.length - 1);
    if (!quotasHold(workers, counts, Market.SPOT)) {
      return;
    }
    if (!tiering) {
      for (int i = 0; i < workers.size(); i++) {
        Listing anchor = workers.get(i);
        if (anchor.onDemand() == null || (!goal.mix() && counts[i] == 0)) {
          continue;
        }
        if (quotasHold(List.of(anchor), new int[] {1}, Market.ON_DEMAND)) {
          int[] training = counts.clone();
          training[i]++;
          judge(workers, training, spotPrice + anchor.onDemand().micros());
        }
      }
      return;
    }
    for (Listing anchor : here) {
      if (anchor.machine().trains() || anchor.onDemand() == null) {
        continue;
      }
      for (int m = 1; m <= 80; m++) {
        if (quotasHold(List.of(anchor), new int[] {m}, Market.ON_DEMAND)
            && anchorsSuffice(workers, counts, spot, anchor, m)) {
          judge(workers, counts, spotPrice + anchor.onDemand().micros() * m);
        }
      }
    }
  }

  private boolean anchorsSuffice(
      List<Listing> workers, int[] counts, int n, Listing anchor, int m) {
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
            io.deepvm.units.Bandwidth.ofGbps(Math.min(slowest, anchorGbps)));
    double bytes = goal.checkpoint().bytes();
    double seconds = goal.checkpoints().interval().toSeconds();
    int shards = goal.checkpoints().anchorMemory() == AnchorMemory.WHOLE ? n : (n + m - 1) / m;
    double memory = Objects.requireNonNull(anchor.machine().memory()).bytes();
    return n / (double) m < saturation
        && memory >= goal.checkpoints().anchorSlots() * bytes * shards / n
        && bytes <= 0.5 * seconds * m * anchorGbps * 1e9 / 8
        && bytes <= 0.5 * seconds * n * slowest * 1e9 / 8;
  }

  private boolean quotasHold(List<Listing> listings, int[] counts, Market market) {
    Map<Quota, Double> drawn = new HashMap<>();
    for (int i = 0; i < counts.length; i++) {
      for (Quota quota : catalog.quotas()) {
        if (counts[i] > 0 && quota.market() == market && quota.covers(listings.get(i).machine())) {
          drawn.merge(quota, quota.drawnBy(listings.get(i).machine()) * counts[i], Double::sum);
        }
      }
    }
    return drawn.entrySet().stream().allMatch(e -> e.getValue() <= e.getKey().limit());
  }

  private void judge(List<Listing> workers, int[] training, long price) {
    if (price > goal.maxPricePerHour().micros()) {
      return;
    }
    int n = 0;
    for (int count : training) {
      n += count;
    }
    double speed = total(workers, training, n, false);
    double z = total(workers, training, n, true);
    Work work = Objects.requireNonNull(job.work());
    double seconds = work.secondsAt(speed);
    double dollars = seconds * price / 3600e6;
    if (!allMove(workers, training, n)
        || (goal.deadline() != null && seconds > goal.deadline().toMillis() / 1e3 * (1 + 1e-12))
        || (goal.maxCost() != null && dollars > goal.maxCost().dollars() * (1 + 1e-12))
        || !gainsEnough(workers, training, n)) {
      return;
    }
    double score =
        switch (goal.objective()) {
          case FLOPP -> z;
          case THROUGHPUT -> speed;
          case TIME -> seconds;
          case COST -> dollars;
        };
    Found found = new Found(score, new Money(price), n);
    if (best == null || isBetter(found, best)) {
      best = found;
    }
  }

  private boolean allMove(List<Listing> workers, int[] training, int n) {
    for (int i = 0; i < training.length; i++) {
      if (training[i] > 0 && job.scaling().of(workers.get(i).machine()).speedup(n) <= 0) {
        return false;
      }
    }
    return true;
  }

  private boolean gainsEnough(List<Listing> workers, int[] training, int n) {
    int fewest = tiering ? 1 : 2;
    if (goal.lastWorker().buysOn() || n <= fewest) {
      return true;
    }
    int[] fewer = training.clone();
    for (int i = 0; i < fewer.length; i++) {
      if (fewer[i] > 0) {
        fewer[i]--;
        break;
      }
    }
    boolean z = goal.objective() == Objective.FLOPP;
    return goal.lastWorker()
        .isWorth(total(workers, training, n, z) / total(workers, fewer, n - 1, z) - 1, 0);
  }

  private double total(List<Listing> workers, int[] counts, int n, boolean z) {
    double total = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        Listing worker = workers.get(i);
        double flops = Objects.requireNonNull(worker.machine().flops(job.precision()));
        ScalingCurve curve = job.scaling().of(worker.machine());
        double each =
            z
                ? flops / Objects.requireNonNull(worker.spot()).dollars() * 3600 * curve.factor(n)
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
