package io.deepvm.studies.deepvm;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.Quota;
import io.deepvm.workload.Job;
import io.deepvm.workload.NetworkSaturation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A catalog as the artifact's programs read it: GPU types and CPU types in the order of the file.
 * What they cannot know (no price on both markets, no speed, no memory) is left out.
 */
record ArtifactMarket(ArtifactScript script, List<ArtifactWorker> workers) {

  /** simulation.py's MAX_LIMIT; it also stands in where the catalog has no quota. */
  private static final int UNLIMITED = 256;

  /** More than any account is granted, and little enough to tabulate. */
  private static final int MOST_NODES = 10_000;

  static ArtifactMarket of(Catalog catalog, Job job, ArtifactScript script) {
    Map<String, List<Listing>> remotes =
        catalog.listings().stream()
            .filter(listing -> !listing.machine().trains())
            .collect(Collectors.groupingBy(listing -> region(listing.place())));
    List<ArtifactWorker> workers = new ArrayList<>();
    for (Listing listing : catalog.listings()) {
      ArtifactWorker worker =
          worker(
              listing,
              remotes.getOrDefault(region(listing.place()), List.of()),
              catalog,
              job,
              script);
      if (worker != null) {
        workers.add(worker);
      }
    }
    return new ArtifactMarket(script, List.copyOf(workers));
  }

  private static String region(Place place) {
    return place.cloud() + "/" + place.region();
  }

  private static @Nullable ArtifactWorker worker(
      Listing listing, List<Listing> remotes, Catalog catalog, Job job, ArtifactScript script) {
    Machine machine = listing.machine();
    Offer spot = listing.offer(Market.SPOT);
    Offer onDemand = listing.offer(Market.ON_DEMAND);
    Double flops = machine.flops(job.precision());
    if (spot == null || onDemand == null || flops == null || !trainsFor(machine, "gp")) {
      return null;
    }
    List<ArtifactRemote> near = new ArrayList<>();
    for (Listing other : remotes) {
      ArtifactRemote remote =
          other.place().near(listing.place()) ? remote(other, machine, catalog, script) : null;
      if (remote != null) {
        near.add(remote);
      }
    }
    return new ArtifactWorker(
        spot,
        onDemand,
        flops,
        job.scaling().of(machine),
        limit(listing, Market.SPOT, catalog, script),
        trainsFor(machine, "g"),
        near);
  }

  private static @Nullable ArtifactRemote remote(
      Listing listing, Machine worker, Catalog catalog, ArtifactScript script) {
    Offer offer = listing.offer(Market.ON_DEMAND);
    DataSize memory = listing.machine().memory();
    Bandwidth network = listing.machine().network();
    if (offer == null || memory == null || network == null || worker.network() == null) {
      return null;
    }
    return new ArtifactRemote(
        offer,
        memory.gb(),
        limit(listing, Market.ON_DEMAND, catalog, script),
        NetworkSaturation.workersPerAnchor(Bandwidth.min(network, worker.network())));
  }

  /** The artifact goes by AWS's family letters; elsewhere everything that trains counts. */
  private static boolean trainsFor(Machine machine, String letters) {
    return machine.trains()
        && (!machine.cloud().equals("aws")
            || (machine.family().length() == 1 && letters.contains(machine.family())));
  }

  private static int limit(Listing listing, Market market, Catalog catalog, ArtifactScript script) {
    if (script == ArtifactScript.SIMULATION) {
      return UNLIMITED;
    }
    return (int)
        catalog.quotas().stream()
            .filter(quota -> quota.unit() == Quota.Unit.VCPUS)
            .filter(quota -> quota.market() == market && quota.covers(listing.machine()))
            .filter(quota -> quota.place().matches(listing.place()))
            .mapToLong(quota -> Math.min(quota.nodes(listing.machine()), MOST_NODES))
            .min()
            .orElse(UNLIMITED);
  }
}
