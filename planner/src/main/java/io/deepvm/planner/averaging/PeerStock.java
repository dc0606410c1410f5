package io.deepvm.planner.averaging;

import io.deepvm.base.DataSize;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.workload.averaging.HostClass;
import io.deepvm.workload.averaging.Peer;
import io.deepvm.workload.averaging.PeerGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Everything a cluster can be made of: own machines, and the offers that none other beats. */
final class PeerStock {

  private final AveragingGoal goal;
  private final SpeedProfile profile;
  private final List<PlaceFilter.Test> wanted;
  private final List<Quota> quotas;
  private final Map<String, Integer> leftOut = new TreeMap<>();
  private final Map<Machine, SpeedProfile.@Nullable Speed> speeds = new HashMap<>();
  private final List<Candidate> candidates = new ArrayList<>();

  PeerStock(Catalog catalog, SpeedProfile profile, AveragingGoal goal) {
    this.goal = goal;
    this.profile = profile;
    this.wanted = goal.places().stream().map(PlaceFilter::test).toList();
    this.quotas =
        catalog.quotas().stream().filter(quota -> goal.markets().contains(quota.market())).toList();
    for (PeerGroup group : goal.own()) {
      candidates.add(Candidate.of(group.peer(), null, group.count(), ""));
    }
    Map<Place, List<Candidate>> byPlace = new LinkedHashMap<>();
    for (Listing listing : catalog.listings()) {
      if (listing.machine().gpus() != null) {
        List<Candidate> here = byPlace.computeIfAbsent(listing.place(), place -> new ArrayList<>());
        offers(listing).forEach(offer -> addCandidate(here, listing.machine().gpus(), offer));
      }
    }
    byPlace.values().forEach(offered -> candidates.addAll(undominated(offered)));
  }

  /** The candidates, own machines first. */
  List<Candidate> candidates() {
    return candidates;
  }

  Map<String, Integer> leftOut() {
    return leftOut;
  }

  /** Returns the offers of a machine on the markets asked for; one without any is left out. */
  private List<Offer> offers(Listing listing) {
    List<Offer> offers =
        Arrays.stream(Market.values())
            .filter(goal.markets()::contains)
            .map(listing::offer)
            .filter(Objects::nonNull)
            .toList();
    if (offers.isEmpty()) {
      drop(
          goal.markets().size() == 1
              ? "not offered on the %s market".formatted(goal.markets().iterator().next())
              : "not offered on any market");
    }
    return offers;
  }

  private void addCandidate(List<Candidate> here, @Nullable Gpus gpus, Offer offer) {
    Candidate candidate = gpus == null ? null : candidate(gpus, offer);
    if (candidate != null) {
      here.add(candidate);
    }
  }

  private @Nullable Candidate candidate(Gpus gpus, Offer offer) {
    Machine machine = offer.machine();
    if (!wanted.isEmpty() && wanted.stream().noneMatch(test -> test.matches(offer.place()))) {
      return drop("in other places");
    }
    if (goal.gpuMemory() != null) {
      DataSize memory = gpus.model().memory();
      if (memory == null || memory.compareTo(goal.gpuMemory()) < 0) {
        return drop("GPU memory too small or not known");
      }
    }
    SpeedProfile.Speed speed = speeds.computeIfAbsent(machine, profile::of);
    if (speed == null) {
      return drop("speed not measured, and FLOPS not known to scale it by");
    }
    int limit = limit(offer);
    if (limit == 0) {
      return drop("quota 0");
    }
    Peer peer =
        new Peer(
            machine.name(),
            offer.place(),
            speed.samplesPerSecond(),
            HostClass.of(machine.vcpus()),
            offer.pricePerHour(),
            machine.network());
    return Candidate.of(peer, offer, limit, speed.note());
  }

  private @Nullable Candidate drop(String reason) {
    leftOut.merge(reason, 1, Integer::sum);
    return null;
  }

  private int limit(Offer offer) {
    long limit = Math.min(goal.maxPeers(), goal.maxPeersPerPlace());
    for (Quota quota : quotas) {
      if (draws(offer, quota)) {
        limit = Math.min(limit, quota.nodes(offer.machine()));
      }
    }
    return (int) limit;
  }

  private static boolean draws(Offer offer, Quota quota) {
    return quota.market() == offer.market()
        && quota.covers(offer.machine())
        && quota.place().matches(offer.place());
  }

  private static List<Candidate> undominated(List<Candidate> offered) {
    List<Candidate> sorted = new ArrayList<>(offered);
    sorted.sort(Candidate.FASTEST_FIRST);
    List<Candidate> kept = new ArrayList<>();
    for (Candidate candidate : sorted) {
      if (kept.stream().noneMatch(better -> better.covers(candidate))) {
        kept.add(candidate);
      }
    }
    return kept;
  }

  /** Whether quotas that several candidates share allow them all. */
  boolean allows(PeerCluster cluster) {
    for (Quota quota : quotas) {
      double drawn = 0;
      for (PeerCluster.Part part : cluster.parts()) {
        Offer offer = part.candidate().offer();
        if (offer != null && draws(offer, quota)) {
          drawn += part.count() * quota.drawnBy(offer.machine());
        }
      }
      if (drawn > quota.limit()) {
        return false;
      }
    }
    return true;
  }
}
