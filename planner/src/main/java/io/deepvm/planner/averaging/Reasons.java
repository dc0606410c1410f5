package io.deepvm.planner.averaging;

import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.Exchange.Bottleneck;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Questions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Says why a cluster was chosen, what holds it back and what was assumed. */
final class Reasons {

  private final AveragingModel model;
  private final AveragingGoal goal;
  private final List<Candidate> payable;

  Reasons(AveragingModel model, AveragingGoal goal, List<Candidate> payable) {
    this.model = model;
    this.goal = goal;
    this.payable = payable;
  }

  List<String> of(PeerCluster cluster, Forecast forecast, double gap) {
    List<String> why = new ArrayList<>();
    why.add("Limit: " + limit(cluster, forecast));
    why.add(speed(cluster, forecast));
    Offer first = cluster.parts().get(0).candidate().offer();
    if (cluster.peers() == 1 && first != null && first.market() == Market.SPOT) {
      why.add("No other peer has the model when this spot machine is taken: keep checkpoints.");
    }
    Bottleneck bottleneck = forecast.bottleneck();
    if (bottleneck != null) {
      why.add("The slowest link is %s.".formatted(bottleneck));
    }
    why.add(
        print(
            "%s/h for machines and %s/h for traffic: $%.3f per million samples.",
            forecast.machinesPerHour(), forecast.egressPerHour(), forecast.dollarsPerMillion()));
    why.add(
        print(
            "Target batch %d, the largest allowed: a larger one is never slower nor dearer.",
            forecast.targetBatch()));
    elsewhere(cluster, why);
    why.add(
        gap == 0
            ? "No cluster within these limits can do better."
            : print("A bound leaves room for %.1f %% at most.", 100 * gap));
    why.addAll(forecast.warnings());
    cluster.parts().stream()
        .map(part -> part.candidate().speedNote())
        .filter(note -> !note.isEmpty())
        .distinct()
        .forEach(note -> why.add("Assumed: %s.".formatted(note)));
    forecast.assumptions().forEach(each -> why.add("Assumed: %s.".formatted(each)));
    return why;
  }

  /** What stops the cluster from having one more of its most frequent peer. */
  private String limit(PeerCluster cluster, Forecast forecast) {
    PeerCluster.Part most =
        cluster.parts().stream()
            .max(Comparator.comparingInt(PeerCluster.Part::count))
            .orElseThrow();
    Candidate candidate = most.candidate();
    String name = candidate.peer().name();
    if (cluster.peers() >= goal.maxPeers()) {
      return "no more than %d peers are planned.".formatted(goal.maxPeers());
    }
    if (most.count() >= candidate.limit()) {
      return "%s; there are no more than %d of %s."
          .formatted(
              candidate.offer() == null ? "the machines at hand" : "the quota",
              candidate.limit(),
              name);
    }
    Money price = forecast.pricePerHour().plus(candidate.peer().pricePerHour());
    Money ceiling = goal.maxPricePerHour();
    return ceiling != null && price.compareTo(ceiling) > 0
        ? "the budget; with one more %s the peers would cost %s/h, %s too much."
            .formatted(name, price, new Money(price.micros() - ceiling.micros()))
        : "one more %s would be no better.".formatted(name);
  }

  private static String speed(PeerCluster cluster, Forecast forecast) {
    return cluster.peers() == 1
        ? print(
            "One machine alone trains %.1f samples/s and has nobody to wait for.",
            forecast.samplesPerSecond())
        : print(
            "%d peers train %.1f samples/s: a round is %.1f s of calculating, %.1f s of waiting and"
                + " %.1f s of averaging, granularity %.2f.",
            cluster.peers(),
            forecast.samplesPerSecond(),
            forecast.calculationSeconds(),
            forecast.readySeconds() - forecast.calculationSeconds(),
            forecast.communicationSeconds(),
            forecast.granularity());
  }

  /** What one more peer on another continent would do. */
  private void elsewhere(PeerCluster cluster, List<String> why) {
    Set<String> here =
        cluster.parts().stream()
            .map(part -> part.candidate().continent())
            .collect(Collectors.toSet());
    payable.stream()
        .filter(candidate -> candidate.offer() != null && !here.contains(candidate.continent()))
        .findFirst()
        .ifPresent(
            other -> {
              Questions.Addition addition =
                  new Questions(model)
                      .adding(
                          cluster.groups(),
                          new PeerGroup(other.peer(), 1),
                          goal.largestTargetBatch());
              why.add(
                  "%sOne more peer, %s: %s."
                      .formatted(
                          here.size() == 1 ? verdict(addition) : "", other.peer(), addition));
            });
  }

  private static String verdict(Questions.Addition elsewhere) {
    if (!elsewhere.helps()) {
      return "Do not spread over continents. ";
    }
    return elsewhere.addedDollarsPerMillion() > 0
        ? "Spreading over continents buys speed at a higher price per sample. "
        : "";
  }

  private static String print(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
