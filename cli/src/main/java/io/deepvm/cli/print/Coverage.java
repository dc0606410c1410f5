package io.deepvm.cli.print;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How much of one cloud a catalog knows.
 *
 * @param machines instance types
 * @param gpuMachines those with a GPU or a stated speed
 * @param withFlops GPU machines whose speed is known
 * @param withGpuMemory GPU machines whose GPU memory is known
 * @param withNetwork machines, GPU or not, whose network is known
 */
public record Coverage(
    String cloud,
    int regions,
    int listings,
    int spotOffers,
    int onDemandOffers,
    int machines,
    int gpuMachines,
    int withFlops,
    int withGpuMemory,
    int withNetwork) {

  /** Returns the coverage of each cloud, by name. */
  public static List<Coverage> byCloud(Catalog catalog) {
    Map<String, List<Listing>> clouds = new TreeMap<>();
    for (Listing listing : catalog.listings()) {
      clouds.computeIfAbsent(listing.place().cloud(), c -> new ArrayList<>()).add(listing);
    }
    List<Coverage> all = new ArrayList<>();
    clouds.forEach((cloud, listings) -> all.add(of(cloud, listings)));
    return all;
  }

  private static Coverage of(String cloud, List<Listing> listings) {
    Set<String> regions = new HashSet<>();
    Set<Machine> machines = new HashSet<>();
    int spot = 0;
    int onDemand = 0;
    for (Listing listing : listings) {
      regions.add(listing.place().region());
      machines.add(listing.machine());
      spot += listing.spot() == null ? 0 : 1;
      onDemand += listing.onDemand() == null ? 0 : 1;
    }
    List<Machine> training = machines.stream().filter(Machine::trains).toList();
    return new Coverage(
        cloud,
        regions.size(),
        listings.size(),
        spot,
        onDemand,
        machines.size(),
        training.size(),
        (int) training.stream().filter(Coverage::hasFlops).count(),
        (int) training.stream().filter(Coverage::hasGpuMemory).count(),
        (int) machines.stream().filter(m -> m.network() != null).count());
  }

  private static boolean hasFlops(Machine machine) {
    Gpus gpus = machine.gpus();
    if (machine.statedFlops() != null || gpus == null) {
      return machine.statedFlops() != null;
    }
    Gpu model = gpus.model();
    return !model.peaks().isEmpty();
  }

  private static boolean hasGpuMemory(Machine machine) {
    return machine.gpus() != null && machine.gpus().model().memory() != null;
  }
}
