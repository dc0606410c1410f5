package io.deepvm.planner.averaging;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Exchange;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Link;
import io.deepvm.workload.averaging.LinkKind;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Protocol;
import io.deepvm.workload.averaging.TrainedModel;
import java.util.ArrayList;
import java.util.List;

/**
 * The score that no cluster can beat: as if all peers stood beside each other on the best hosts,
 * traffic were free, and machines could be rented in parts.
 */
final class Bound {

  private final AveragingGoal goal;
  private final AveragingModel beside;
  private final List<Candidate> byValue;
  private final List<Candidate> bySpeed;
  private final HostClass best;

  Bound(
      TrainedModel model,
      Protocol protocol,
      Coefficients constants,
      AveragingGoal goal,
      List<Candidate> candidates) {
    Link ideal = new Link(LinkKind.LOCAL, new Bandwidth(Long.MAX_VALUE / 1024), Money.ZERO, "");
    this.goal = goal;
    this.beside = new AveragingModel(model, (from, to) -> ideal, protocol, constants);
    this.byValue = sorted(candidates, true);
    this.bySpeed = sorted(candidates, false);
    this.best =
        candidates.stream().anyMatch(c -> c.peer().host() == HostClass.LARGE)
            ? HostClass.LARGE
            : HostClass.SMALL;
  }

  private static List<Candidate> sorted(List<Candidate> candidates, boolean byValue) {
    List<Candidate> sorted = new ArrayList<>(candidates);
    sorted.sort(byValue ? Candidate.BEST_VALUE_FIRST : Candidate.FASTEST_FIRST);
    return sorted;
  }

  double score() {
    return switch (goal.aim()) {
      case THROUGHPUT -> throughput();
      case COST_PER_SAMPLE -> byValue.get(0).dollarsPerSample() * 1e6;
      case PRICE_PER_HOUR -> pricePerHour();
    };
  }

  private double throughput() {
    double best = 0;
    double affordable = affordableRate();
    double fastest = 0;
    int next = 0;
    int left = bySpeed.get(0).limit();
    for (int peers = 1; peers <= goal.maxPeers() && next < bySpeed.size(); peers++) {
      fastest += bySpeed.get(next).rate();
      if (--left == 0 && ++next < bySpeed.size()) {
        left = bySpeed.get(next).limit();
      }
      double round =
          beside.roundSeconds(
              exchange(peers), Math.min(affordable, fastest), goal.largestTargetBatch());
      best = Math.max(best, goal.largestTargetBatch() / round);
    }
    return best;
  }

  private double affordableRate() {
    Money most = goal.maxPricePerHour();
    if (most == null) {
      return Double.MAX_VALUE;
    }
    double money = most.micros();
    double rate = 0;
    for (Candidate candidate : byValue) {
      double whole = (double) candidate.price() * candidate.limit();
      double share = whole <= money ? 1 : money / whole;
      rate += share * candidate.rate() * candidate.limit();
      money -= share * whole;
      if (money <= 0 && share < 1) {
        break;
      }
    }
    return rate;
  }

  /** The least that machines can cost whose calculating leaves time enough to average. */
  private double pricePerHour() {
    Double wanted = goal.minSamplesPerSecond();
    double least = Double.POSITIVE_INFINITY;
    for (int peers = 1; wanted != null && peers <= goal.maxPeers(); peers++) {
      double calculating = goal.largestTargetBatch() / wanted - exchange(peers).seconds();
      if (calculating > 0) {
        least = Math.min(least, priceOf(goal.largestTargetBatch() / calculating));
      }
    }
    return Double.isInfinite(least) ? 0 : least;
  }

  private double priceOf(double rate) {
    double dollars = 0;
    double missing = rate;
    for (Candidate candidate : byValue) {
      double all = candidate.rate() * candidate.limit();
      double share = Math.min(1, missing / all);
      dollars += share * candidate.price() * candidate.limit() / 1e6;
      missing -= share * all;
      if (missing <= 0) {
        return dollars;
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  private Exchange exchange(int peers) {
    Peer any = bySpeed.get(0).peer();
    Peer fast = new Peer(any.name(), any.place(), any.samplesPerSecond(), best, Money.ZERO, null);
    return beside.exchange(List.of(new PeerGroup(fast, peers)));
  }
}
