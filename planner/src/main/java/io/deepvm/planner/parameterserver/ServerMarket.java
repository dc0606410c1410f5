package io.deepvm.planner.parameterserver;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.planner.Hint;
import io.deepvm.planner.Planning;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.WorkerType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What of a catalog can serve a goal, by place: workers that were measured, and servers. */
final class ServerMarket {

  /** The number of available workers of a type without a quota. */
  private static final int WITHOUT_QUOTA = 32;

  /** Of two servers, the larger counts as another choice from this ratio of bandwidths on. */
  private static final double WIDER = 2;

  private final Catalog catalog;
  private final ParameterServerGoal goal;
  private final Map<Place, List<Worker>> workers = new LinkedHashMap<>();
  private final Map<Place, List<ServerOption>> servers = new LinkedHashMap<>();
  private final Map<String, Integer> leftOut = new TreeMap<>();

  /** Workers of one offer. */
  record Worker(Offer offer, WorkerType type, int limit, int running) {

    WorkerOffer asOffer() {
      return new WorkerOffer(type, offer.pricePerHour(), limit, running);
    }
  }

  private ServerMarket(Catalog catalog, ParameterServerGoal goal) {
    this.catalog = catalog;
    this.goal = goal;
  }

  static ServerMarket of(
      Catalog catalog, ParameterServerProfile profile, ParameterServerGoal goal) {
    ServerMarket market = new ServerMarket(catalog, goal);
    List<PlaceFilter.Test> places = goal.places().stream().map(PlaceFilter::test).toList();
    List<Listing> candidates = new ArrayList<>();
    for (Listing listing : catalog.listings()) {
      if (places.isEmpty() || places.stream().anyMatch(test -> test.matches(listing.place()))) {
        if (listing.machine().gpus() != null) {
          market.addWorker(listing, profile);
        } else {
          candidates.add(listing);
        }
      }
    }
    market.keepWhereAllRun(candidates);
    for (Place place : market.workers.keySet()) {
      market.servers.put(place, market.options(place, candidates));
    }
    market.requireServerType(candidates);
    return market;
  }

  /** Places where there are both workers and servers. */
  List<Place> places() {
    return workers.keySet().stream().filter(place -> !servers(place).isEmpty()).toList();
  }

  List<Worker> workers(Place place) {
    return workers.getOrDefault(place, List.of());
  }

  List<ServerOption> servers(Place place) {
    return servers.getOrDefault(place, List.of());
  }

  Map<String, Integer> leftOut() {
    return leftOut;
  }

  Planning.Infeasible nothing() {
    List<Hint> relax = new ArrayList<>();
    leftOut.forEach((reason, count) -> relax.add(new Hint.LeftOut(reason, count)));
    return new Planning.Infeasible(
        "No place in the catalog '%s' has both a measured worker and a server."
            .formatted(catalog.name()),
        relax,
        null);
  }

  private void addWorker(Listing listing, ParameterServerProfile profile) {
    WorkerType type = profile.worker(listing.machine());
    List<Offer> offers =
        Arrays.stream(Market.values())
            .filter(goal.markets()::contains)
            .map(listing::offer)
            .filter(Objects::nonNull)
            .toList();
    if (type == null) {
      leaveOut("GPU machines that the profile does not measure");
    } else if (offers.isEmpty()) {
      leaveOut(
          "GPU machines without %s offer"
              .formatted(goal.markets().contains(Market.SPOT) ? "a spot" : "an on-demand"));
    } else {
      // The workers that run are taken to be of the first market.
      int running = running(listing.machine());
      for (Offer offer : offers) {
        workers
            .computeIfAbsent(listing.place(), place -> new ArrayList<>())
            .add(new Worker(offer, type, Math.max(0, limit(offer) - running), running));
        running = 0;
      }
    }
  }

  private void leaveOut(String reason) {
    leftOut.merge(reason, 1, Integer::sum);
  }

  private int running(Machine machine) {
    return goal.running().getOrDefault(machine.name(), 0);
  }

  private int limit(Offer offer) {
    return (int)
        catalog.quotas().stream()
            .filter(quota -> draws(quota, offer))
            .mapToLong(quota -> quota.nodes(offer.machine()))
            .min()
            .orElse(WITHOUT_QUOTA);
  }

  private static boolean draws(Quota quota, Offer offer) {
    return quota.market() == offer.market()
        && quota.covers(offer.machine())
        && quota.place().matches(offer.place());
  }

  /** Quotas that several of the place's workers draw on; what already runs counts. */
  List<SharedLimit> sharedLimits(Place place) {
    List<SharedLimit> shared = new ArrayList<>();
    for (Quota quota : catalog.quotas()) {
      double used = 0;
      List<Double> drawn = new ArrayList<>();
      for (Worker worker : workers(place)) {
        Offer offer = worker.offer();
        double each = draws(quota, offer) ? quota.drawnBy(offer.machine()) : 0;
        used += each * worker.running();
        drawn.add(each);
      }
      if (drawn.stream().anyMatch(each -> each > 0)) {
        shared.add(new SharedLimit(quota.toString(), Math.max(0, quota.limit() - used), drawn));
      }
    }
    return shared;
  }

  private List<ServerOption> options(Place place, List<Listing> candidates) {
    List<ServerOption> all = new ArrayList<>();
    for (Listing listing : candidates) {
      Offer offer = listing.offer(Market.ON_DEMAND);
      boolean wanted =
          goal.serverType() == null || goal.serverType().equals(listing.machine().name());
      if (offer != null
          && wanted
          && listing.machine().network() != null
          && listing.place().near(place)) {
        int running = running(listing.machine());
        for (int count = Math.max(1, running);
            count <= (running == 0 ? goal.mostServers() : running);
            count++) {
          all.add(new ServerOption(offer, count));
        }
      }
    }
    all.sort(
        Comparator.comparing(ServerOption::pricePerHour)
            .thenComparing(ServerOption::bandwidth, Comparator.reverseOrder())
            .thenComparing(option -> option.offer().machine().name()));
    // Servers that run are the ones there are.
    if (all.stream().anyMatch(option -> running(option.offer().machine()) > 0)) {
      all.removeIf(option -> running(option.offer().machine()) == 0);
    }
    List<ServerOption> kept = new ArrayList<>();
    for (ServerOption option : all) {
      double widest = kept.isEmpty() ? 0 : kept.get(kept.size() - 1).bandwidth().gbps();
      double needed = goal.serverType() == null ? WIDER * widest : widest;
      if (kept.isEmpty() || option.bandwidth().gbps() > needed) {
        kept.add(option);
      }
    }
    return kept;
  }

  private void requireServerType(List<Listing> candidates) {
    String wanted = goal.serverType();
    if (wanted != null && servers.values().stream().allMatch(List::isEmpty)) {
      TreeSet<String> known = new TreeSet<>();
      candidates.forEach(listing -> known.add(listing.machine().name()));
      throw new BadInput(
          "No server '%s' of known network stands on demand near a measured worker."
              .formatted(wanted),
          Suggestion.maybe(wanted, known, "Maybe name another type, or none."));
    }
  }

  /** Leaves the one place where everything stands that runs. */
  private void keepWhereAllRun(List<Listing> candidates) {
    if (goal.running().isEmpty()) {
      return;
    }
    Set<String> known = new TreeSet<>();
    workers.values().forEach(offered -> known.addAll(names(offered)));
    Set<String> servers = new TreeSet<>();
    candidates.forEach(listing -> servers.add(listing.machine().name()));
    Set<String> running = new TreeSet<>(goal.running().keySet());
    running.removeAll(servers);
    for (String type : running) {
      if (!known.contains(type)) {
        throw new BadInput(
            "%s runs already, but is not among the measured workers of these places."
                .formatted(type),
            Suggestion.maybe(
                type, known, "Maybe its GPU is missing in the profile, or the places exclude it."));
      }
    }
    if (running.isEmpty() || goal.running().size() - running.size() > 1) {
      throw new BadInput(
          "Of what runs (%s), %s."
              .formatted(
                  String.join(", ", new TreeSet<>(goal.running().keySet())),
                  running.isEmpty() ? "nothing is a worker" : "several types are servers"),
          "Maybe name the workers, and one type of server at most.");
    }
    workers.values().removeIf(offered -> !names(offered).containsAll(running));
    if (workers.size() != 1) {
      throw new BadInput(
          "%s could be running in %s places, and they share one."
              .formatted(String.join(" and ", running), workers.isEmpty() ? "no" : workers.size()),
          "Maybe say where with --place%s."
              .formatted(workers.isEmpty() ? "" : ", e.g. " + workers.keySet().iterator().next()));
    }
  }

  private static Set<String> names(List<Worker> offered) {
    return offered.stream()
        .map(worker -> worker.offer().machine().name())
        .collect(Collectors.toSet());
  }
}
