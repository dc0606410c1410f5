package io.deepvm.planner.averaging;

import io.deepvm.base.Numbers;
import io.deepvm.catalog.Place;
import io.deepvm.planner.ClusterForecast;
import io.deepvm.planner.ClusterForecast.Elasticity;
import io.deepvm.planner.ClusterForecast.Finding;
import io.deepvm.planner.GivenCluster;
import io.deepvm.workload.Job;
import io.deepvm.workload.Work;
import io.deepvm.workload.averaging.AveragingModel;
import io.deepvm.workload.averaging.AveragingProfile;
import io.deepvm.workload.averaging.CatalogNetwork;
import io.deepvm.workload.averaging.Exchange.Bottleneck;
import io.deepvm.workload.averaging.Forecast;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import io.deepvm.workload.averaging.Questions;
import io.deepvm.workload.averaging.Route;
import io.deepvm.workload.averaging.Sensitivity;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Predicts a given set of peers, and says what each place is worth. */
final class GivenPeers {

  private static final int ROUTES_SHOWN = 3;

  private final Job job;
  private final GivenCluster cluster;
  private final SpeedProfile speeds;
  private final AveragingProfile profile;
  private final CatalogNetwork network = new CatalogNetwork();
  private final AveragingModel model;
  private final List<PeerGroup> groups = new ArrayList<>();
  private final Set<String> assumptions = new LinkedHashSet<>();

  GivenPeers(Job job, GivenCluster cluster) {
    this.job = job;
    this.cluster = cluster;
    speeds = SpeedProfile.of(job);
    profile = SpeedProfile.averaging(job);
    model = new AveragingModel(speeds.model(), network, profile.protocol(), profile.coefficients());
    cluster.groups().forEach(group -> groups.add(speeds.peers(group, assumptions::add)));
  }

  ClusterForecast forecast() {
    int batch = profile.largestTargetBatch();
    Forecast forecast = model.forecast(groups, batch);
    assumptions.addAll(forecast.assumptions());
    Bottleneck bottleneck = forecast.bottleneck();
    return new ClusterForecast(
        cluster,
        findings(forecast),
        bottleneck == null
            ? forecast.exchange().peers() == 1
                ? "nothing: one machine has nobody to wait for"
                : "the hosts, which pack and sum gradients"
            : "the slowest link, " + bottleneck,
        Sensitivity.of(
                speeds.model(), network, profile.protocol(), profile.coefficients(), groups, batch)
            .stream()
            .map(each -> new Elasticity(each.input(), each.elasticity()))
            .toList(),
        advice(forecast),
        forecast.warnings(),
        List.copyOf(assumptions));
  }

  private List<Finding> findings(Forecast forecast) {
    List<Finding> findings = new ArrayList<>();
    findings.add(
        new Finding("samplesPerSecond", "throughput", forecast.samplesPerSecond(), "samples/s"));
    if (forecast.exchange().peers() > 1) {
      findings.add(new Finding("granularity", "granularity", forecast.granularity(), ""));
    }
    findings.add(new Finding("targetBatch", "target batch", forecast.targetBatch(), "samples"));
    findings.add(new Finding("roundSeconds", "a round", forecast.roundSeconds(), "s"));
    findings.add(
        new Finding("calculationSeconds", "- calculating", forecast.calculationSeconds(), "s"));
    findings.add(
        new Finding(
            "waitingSeconds",
            "- waiting for matchmaking",
            forecast.readySeconds() - forecast.calculationSeconds(),
            "s"));
    findings.add(
        new Finding(
            "processingSeconds",
            "- packing and summing",
            forecast.exchange().processingSeconds(),
            "s"));
    findings.add(
        new Finding("linkSeconds", "- on the links", forecast.exchange().linkSeconds(), "s"));
    findings.add(new Finding("usdPerHour", "price", forecast.pricePerHour().dollars(), "$/h"));
    findings.add(
        new Finding(
            "machinesUsdPerHour", "- machines", forecast.machinesPerHour().dollars(), "$/h"));
    findings.add(
        new Finding("trafficUsdPerHour", "- traffic", forecast.egressPerHour().dollars(), "$/h"));
    findings.add(
        new Finding("trafficShare", "share of traffic", 100 * forecast.egressShare(), "%"));
    findings.add(
        new Finding(
            "usdPerMillionSamples",
            "price of a million samples",
            forecast.dollarsPerMillion(),
            "$"));
    Work work = job.work();
    Double samples = work == null ? null : work.samples();
    if (samples != null) {
      double seconds = samples / forecast.samplesPerSecond();
      findings.add(new Finding("seconds", "time", seconds, "s"));
      findings.add(
          new Finding("usd", "cost", forecast.pricePerHour().dollars() * seconds / 3600, "$"));
    }
    return findings;
  }

  private List<String> advice(Forecast forecast) {
    List<String> advice = new ArrayList<>();
    Questions questions = new Questions(model);
    String limits =
        questions.morePeersHelp(groups, forecast.targetBatch())
            ? "more peers help by less and less"
            : "one more peer would not make them faster";
    advice.add(
        print(
            "%s suits these peers %s.",
            job.name(),
            switch (questions.suitability(groups, forecast.targetBatch())) {
              case GOOD -> "well";
              case LIMITED -> "within limits: " + limits;
              case POOR -> "badly: they communicate longer than they calculate";
            }));
    forecast.routes().stream()
        .filter(route -> route.perHour().isPositive())
        .limit(ROUTES_SHOWN)
        .forEach(route -> advice.add(traffic(route)));
    List<Place> places = groups.stream().map(group -> group.peer().place()).distinct().toList();
    if (places.size() > 1) {
      advice.add(gathered(places, forecast));
    }
    for (Place place : places) {
      List<PeerGroup> rest =
          groups.stream().filter(group -> !group.peer().place().equals(place)).toList();
      if (!rest.isEmpty()) {
        advice.add(what("Without " + place, model.forecast(rest, forecast.targetBatch())));
      }
    }
    for (int batch : profile.targetBatches()) {
      if (batch != forecast.targetBatch()) {
        advice.add(what("With a target batch of " + batch, model.forecast(groups, batch)));
      }
    }
    return advice;
  }

  /** What the same peers would do at the best one of their places. */
  private String gathered(List<Place> places, Forecast spread) {
    Place best = places.get(0);
    Forecast gathered = gathered(best, spread.targetBatch());
    for (Place place : places.subList(1, places.size())) {
      Forecast other = gathered(place, spread.targetBatch());
      if (other.samplesPerSecond() > gathered.samplesPerSecond()) {
        best = place;
        gathered = other;
      }
    }
    boolean better =
        gathered.samplesPerSecond() >= spread.samplesPerSecond()
            && gathered.dollarsPerMillion() <= spread.dollarsPerMillion();
    return what((better ? "Do not spread them. All in " : "All in ") + best, gathered);
  }

  private Forecast gathered(Place place, int targetBatch) {
    List<PeerGroup> there = new ArrayList<>();
    for (PeerGroup group : groups) {
      Peer peer = group.peer();
      Peer moved =
          new Peer(
              peer.name(),
              place,
              peer.samplesPerSecond(),
              peer.host(),
              peer.pricePerHour(),
              peer.network());
      there.add(new PeerGroup(moved, group.count()));
    }
    return model.forecast(there, targetBatch);
  }

  private static String traffic(Route route) {
    return print(
        "Traffic from %s to %s: %s GB/h at %s/GB, %s/h.",
        route.from(), route.to(), Numbers.print(route.gbPerHour()), route.perGb(), route.perHour());
  }

  private static String what(String change, Forecast then) {
    return print(
        "%s: %.1f samples/s at $%.2f per million.",
        change, then.samplesPerSecond(), then.dollarsPerMillion());
  }

  private static String print(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
