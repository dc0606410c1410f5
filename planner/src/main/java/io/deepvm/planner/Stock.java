package io.deepvm.planner;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Precision;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobScaling;
import io.deepvm.workload.JobSpeed;
import io.deepvm.workload.ScalingCurve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What of the catalog can be used for a goal, by site, and what cannot, counted by reason. */
final class Stock {

  /** No model is split over more nodes than these. */
  private static final int LARGEST_SPLIT = 64;

  /** Why a worker is left out that a cloud rents, but not on the spot market. */
  static final String NO_SPOT_OFFER = "GPU workers without a spot offer";

  /** Why a worker is left out whose memory is too small for the model. */
  static final String DOES_NOT_FIT =
      "GPU workers of which no %d hold the model, however it is split".formatted(LARGEST_SPLIT);

  private final Job job;
  private final JobSpeed speeds;
  private final QuotaLimits limits;
  private final Map<Place, Site> sites = new LinkedHashMap<>();
  private final Map<ScalingCurve, CurveTable> curves = new HashMap<>();
  private final IdentityHashMap<Machine, CurveTable> curveByMachine = new IdentityHashMap<>();
  private final List<Worker> workers = new ArrayList<>();
  private final Map<String, Integer> leftOut = new TreeMap<>();
  private final String flopsUnknown;
  private final String memoryTooSmall;
  private @Nullable Worker withoutQuota;
  private long mostMemoryTooSmall;

  private Stock(Job job, JobSpeed speeds, QuotaLimits limits) {
    this.job = job;
    this.speeds = speeds;
    this.limits = limits;
    flopsUnknown =
        job.precision() == Precision.FP8
            ? "GPU workers without fp8"
            : "GPU workers whose %s FLOPS are unknown".formatted(job.precision());
    memoryTooSmall = "GPU workers not known to have %s per GPU".formatted(job.gpuMemory());
  }

  static Stock of(Catalog catalog, Job job, Goal goal) {
    if (catalog.listings().stream().noneMatch(listing -> listing.machine().trains())) {
      throw new BadInput(
          "The catalog '%s' has no machine with a GPU.".formatted(catalog.name()),
          "Maybe it lists only anchors, or its GPU columns are empty.");
    }
    JobSpeed speeds = JobSpeed.of(job, catalog.listings().stream().map(Listing::machine).toList());
    Stock stock = new Stock(job, speeds, new QuotaLimits(catalog.quotas()));
    List<Listing> anchors = new ArrayList<>();
    for (Listing listing : catalog.in(goal.places())) {
      if (listing.machine().trains()) {
        stock.addWorkers(listing, goal.offers().markets());
      } else {
        anchors.add(listing);
      }
    }
    if (stock.workers.isEmpty() && stock.withoutQuota != null) {
      Worker barred = stock.withoutQuota;
      throw new BadInput(
          "The quotas allow no GPU worker: %s."
              .formatted(stock.limits.tightest(barred.listing(), barred.market())),
          "Maybe raise that quota, or plan for another place.");
    }
    stock.addAnchors(anchors);
    return stock;
  }

  JobSpeed speeds() {
    return speeds;
  }

  List<Worker> workers() {
    return workers;
  }

  Iterable<Site> sites() {
    return sites.values();
  }

  QuotaLimits limits() {
    return limits;
  }

  /** The largest GPU memory among the workers that were left out for having too little. */
  DataSize mostMemoryTooSmall() {
    return new DataSize(mostMemoryTooSmall);
  }

  Map<String, Integer> leftOut() {
    return leftOut;
  }

  private void leaveOut(String reason) {
    leftOut.merge(reason, 1, Integer::sum);
  }

  /** Adds the listing once for each of the markets that it is offered on. */
  private void addWorkers(Listing listing, Set<Market> markets) {
    Machine machine = listing.machine();
    Double flops = flops(machine);
    List<Market> offered =
        Arrays.stream(Market.values())
            .filter(market -> markets.contains(market) && listing.offer(market) != null)
            .toList();
    if (flops == null) {
      leaveOut(flopsUnknown);
    } else if (offered.isEmpty()) {
      leaveOut(
          markets.contains(Market.SPOT) ? NO_SPOT_OFFER : "GPU workers without an on-demand offer");
    } else if (job.gpuMemory() != null && memoryPerGpu(machine.gpus()) < job.gpuMemory().bytes()) {
      leaveOut(memoryTooSmall);
      mostMemoryTooSmall = Math.max(mostMemoryTooSmall, memoryPerGpu(machine.gpus()));
    } else if (!fitsSomehow(machine)) {
      leaveOut(DOES_NOT_FIT);
      mostMemoryTooSmall = Math.max(mostMemoryTooSmall, memoryPerGpu(machine.gpus()));
    } else {
      int before = workers.size();
      offered.forEach(market -> addWorker(listing, market, flops));
      if (workers.size() > before && machine.network() == null) {
        leaveOut("GPU workers whose network is unknown, for tiering only");
      }
    }
  }

  private @Nullable Double flops(Machine machine) {
    return speeds.flops(machine);
  }

  /** Returns whether some number of these machines holds the model. */
  private boolean fitsSomehow(Machine machine) {
    CurveTable curve = curve(machine);
    if (!(curve.curve() instanceof ScalingCurve.Exchanging)) {
      return true;
    }
    for (int nodes = 1; nodes <= LARGEST_SPLIT; nodes *= 2) {
      if (curve.speedup(nodes) > 0) {
        return true;
      }
    }
    return false;
  }

  private void addWorker(Listing listing, Market market, double flops) {
    Worker.Terms own = Objects.requireNonNull(terms(listing, market));
    Worker worker =
        new Worker(
            listing,
            market,
            flops,
            Worker.floppAt(flops, own.price()),
            curve(listing.machine()),
            own,
            terms(listing, Market.ON_DEMAND),
            sites.computeIfAbsent(listing.place(), Site::new));
    if (worker.limit() < 1) {
      leaveOut("GPU workers of which the %s quota allows none".formatted(market));
      withoutQuota = worker;
    } else {
      workers.add(worker);
      worker.site().workers().add(worker);
    }
  }

  private Worker.@Nullable Terms terms(Listing listing, Market market) {
    Offer offer = listing.offer(market);
    return offer == null
        ? null
        : new Worker.Terms(offer.pricePerHour().micros(), limits.nodes(listing, market));
  }

  /** The memory known of one GPU, 0 if none; a slice of a GPU has that share of it. */
  private static long memoryPerGpu(@Nullable Gpus gpus) {
    if (gpus == null || gpus.model().memory() == null) {
      return 0;
    }
    return (long) (gpus.model().memory().bytes() * Math.min(1, gpus.count()));
  }

  private CurveTable curve(Machine machine) {
    return curveByMachine.computeIfAbsent(
        machine,
        m ->
            curves.computeIfAbsent(
                JobScaling.of(job, m, speeds), curve -> new CurveTable(curve, Planner.MOST_NODES)));
  }

  private void addAnchors(List<Listing> listings) {
    Map<Place, List<Anchor>> byPlace = new LinkedHashMap<>();
    for (Listing listing : listings) {
      Offer offer = listing.offer(Market.ON_DEMAND);
      Machine machine = listing.machine();
      if (offer == null) {
        leaveOut("CPU machines without an on-demand offer");
      } else if (machine.memory() == null || machine.network() == null) {
        leaveOut("CPU machines whose memory or network is unknown");
      } else {
        byPlace
            .computeIfAbsent(listing.place(), place -> new ArrayList<>())
            .add(
                new Anchor(
                    offer,
                    offer.pricePerHour().micros(),
                    machine.memory().bytes(),
                    machine.network().bitsPerSecond(),
                    limits.nodes(listing, Market.ON_DEMAND)));
      }
    }
    Map<String, List<Place>> byRegion = new HashMap<>();
    for (Place place : byPlace.keySet()) {
      byRegion.computeIfAbsent(region(place), region -> new ArrayList<>()).add(place);
    }
    for (Site site : sites.values()) {
      for (Place place : byRegion.getOrDefault(region(site.place()), List.of())) {
        if (place.near(site.place())) {
          byPlace.getOrDefault(place, List.of()).forEach(site::add);
        }
      }
      site.complete();
    }
  }

  private static String region(Place place) {
    return place.cloud() + "/" + place.region();
  }
}
