package io.deepvm.catalog;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which offers of a catalog may be used. The GPU and the vendor decide on machines that train; an
 * exclusion holds for every machine.
 *
 * @param gpus the GPUs to train on; empty means any
 * @param excluded what must not be rented
 * @param vendors the makers of the GPUs; empty means any. A GPU whose maker is not known passes
 */
public record OfferFilter(List<GpuFilter> gpus, List<Exclusion> excluded, Set<Vendor> vendors) {

  /** Lets every offer pass. */
  public static final OfferFilter NONE = new OfferFilter(List.of(), List.of(), Set.of());

  public OfferFilter {
    gpus = List.copyOf(gpus);
    excluded = List.copyOf(excluded);
    vendors = Set.copyOf(vendors);
  }

  /**
   * What a filter keeps of a catalog.
   *
   * @param leftOut the listings that do not pass, counted by reason
   */
  public record Filtered(List<Listing> kept, Map<String, Integer> leftOut) {}

  /** Returns the same filter for any GPU. */
  public OfferFilter withoutGpus() {
    return new OfferFilter(List.of(), excluded, vendors);
  }

  /** Returns the same filter without exclusions. */
  public OfferFilter withoutExclusions() {
    return new OfferFilter(gpus, List.of(), vendors);
  }

  /** Returns the same filter for any vendor. */
  public OfferFilter withoutVendors() {
    return new OfferFilter(gpus, excluded, Set.of());
  }

  /** Throws when the catalog has nothing that a name stands for: it is most likely misspelt. */
  public void requireKnown(Catalog catalog) {
    gpus.forEach(gpu -> gpu.requireKnown(catalog));
    excluded.forEach(exclusion -> exclusion.requireKnown(catalog));
  }

  /** Returns the listings that pass, and the reasons why others do not. */
  public Filtered select(Catalog catalog) {
    Map<String, Integer> leftOut = new TreeMap<>();
    if (equals(NONE)) {
      return new Filtered(catalog.listings(), leftOut);
    }
    List<Predicate<Listing>> exclusions = excluded.stream().map(Exclusion::test).toList();
    List<Predicate<String>> names = gpus.stream().map(GpuFilter::test).toList();
    List<Listing> kept = new ArrayList<>();
    for (Listing listing : catalog.listings()) {
      String reason = reason(listing, exclusions, names);
      if (reason == null) {
        kept.add(listing);
      } else {
        leftOut.merge(reason, 1, Integer::sum);
      }
    }
    return new Filtered(kept, leftOut);
  }

  /** Returns how many instance types the vendors alone leave out, by vendor. */
  public Map<Vendor, Integer> typesOfOtherVendors(Catalog catalog) {
    Set<Machine> seen = new HashSet<>();
    Map<Vendor, Integer> types = new TreeMap<>();
    for (Listing listing : catalog.listings()) {
      Vendor other = otherVendor(listing.machine());
      if (other != null && seen.add(listing.machine())) {
        types.merge(other, 1, Integer::sum);
      }
    }
    return types;
  }

  private @Nullable String reason(
      Listing listing, List<Predicate<Listing>> exclusions, List<Predicate<String>> names) {
    Machine machine = listing.machine();
    if (exclusions.stream().anyMatch(test -> test.test(listing))) {
      return machine.trains() ? "GPU workers that are excluded" : "CPU machines that are excluded";
    }
    if (!machine.trains()) {
      return null;
    }
    Gpus model = machine.gpus();
    if (!names.isEmpty()
        && (model == null || names.stream().noneMatch(test -> test.test(model.model().name())))) {
      return "GPU workers without one of the GPUs asked for (%s)".formatted(gpuNames());
    }
    Vendor other = otherVendor(machine);
    return other == null ? null : "GPU workers with %s GPUs".formatted(other);
  }

  private @Nullable Vendor otherVendor(Machine machine) {
    Vendor vendor = machine.gpus() == null ? null : machine.gpus().model().vendor();
    return vendor == null || vendors.isEmpty() || vendors.contains(vendor) ? null : vendor;
  }

  /** Returns the names of the GPUs asked for, in a list to read. */
  public String gpuNames() {
    return gpus.stream().map(Objects::toString).collect(Collectors.joining(", "));
  }
}
