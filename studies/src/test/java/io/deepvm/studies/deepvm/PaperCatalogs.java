package io.deepvm.studies.deepvm;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.SpeedupCurve;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The paper's two catalogs, typed in so that the tests need no files. */
final class PaperCatalogs {

  private PaperCatalogs() {}

  /** Returns the three real GPU types and the eight CPU types. */
  static Catalog paper() {
    List<Listing> listings = new ArrayList<>();
    listings.add(
        gpu("g3s.xlarge", "0.75", "0.225", 10, 100, 0.1408559584, 14.49263334, 13.53250952));
    listings.add(
        gpu("g4dn.xlarge", "0.526", "0.1578", 25, 377, 0.1338806402, 12.87424514, 6.176666667));
    listings.add(
        gpu("g5.xlarge", "1.006", "0.3018", 10, 696, 0.08533428072, 20.06669931, 4.962225551));
    listings.addAll(remotes());
    return catalog("paper", listings);
  }

  /** Returns the ten invented GPU types of the simulation and the eight CPU types. */
  static Catalog simulation() {
    List<Listing> listings = new ArrayList<>();
    listings.add(gpu("A", "0.75", "0.225", 10, 100, 0.14, 14.5, 13.5));
    listings.add(gpu("B", "0.526", "0.1578", 25, 377, 0.13, 12.9, 6.2));
    listings.add(gpu("C", "1.006", "0.3018", 10, 696, 0.09, 20.1, 5));
    listings.add(gpu("D", "0.55", "0.165", 15, 700, 0.2, 10, 5));
    listings.add(gpu("E", "0.368", "0.1104", 1.7, 100, 0.1, 20, 15));
    listings.add(gpu("F", "1.236", "0.3708", 25, 800, 0.1, 15, 10));
    listings.add(gpu("G", "0.973", "0.2919", 30, 200, 0.1, 15, 10));
    listings.add(gpu("H", "0.252", "0.0756", 5, 150, 0.2, 10, 5));
    listings.add(gpu("I", "1.622", "0.4866", 30, 900, 0.2, 9.9, 7));
    listings.add(gpu("J", "0.22", "0.066", 5, 50, 0.1, 20, 15));
    listings.addAll(remotes());
    return catalog("paper-simulation", listings);
  }

  private static List<Listing> remotes() {
    return List.of(
        cpu("c3.xlarge", "c", "0.21", 7.5, 0.3),
        cpu("c4.xlarge", "c", "0.199", 7.5, 1.7),
        cpu("t3.xlarge", "t", "0.1664", 16, 5),
        cpu("c5.xlarge", "c", "0.17", 8, 10),
        cpu("m6i.xlarge", "m", "0.192", 16, 12.5),
        cpu("d3.xlarge", "d", "0.499", 32, 15),
        cpu("c5n.xlarge", "c", "0.216", 10.5, 25),
        cpu("c6in.xlarge", "c", "0.2268", 8, 30));
  }

  private static Catalog catalog(String name, List<Listing> listings) {
    List<Quota> quotas = new ArrayList<>();
    quotas.add(quota("g", Market.SPOT, 128));
    quotas.add(quota("g", Market.ON_DEMAND, 32));
    for (String family : List.of("c", "d", "m", "t")) {
      quotas.add(quota(family, Market.ON_DEMAND, 256));
    }
    return new Catalog(name, null, "typed in", listings, quotas);
  }

  static Quota quota(String family, Market market, long vcpus) {
    return new Quota(PlaceFilter.ANYWHERE, Set.of(family), market, Quota.Unit.VCPUS, vcpus);
  }

  static Listing gpu(
      String name,
      String onDemand,
      String spot,
      double gbps,
      double flops,
      double a,
      double b,
      double c) {
    return listing(name, "g", onDemand, spot, null, gbps, flops, new SpeedupCurve(a, b, c));
  }

  static Listing cpu(String name, String family, String onDemand, double memoryGb, double gbps) {
    return listing(name, family, onDemand, null, DataSize.ofGb(memoryGb), gbps, null, null);
  }

  private static Listing listing(
      String name,
      String family,
      String onDemand,
      @Nullable String spot,
      @Nullable DataSize memory,
      double gbps,
      @Nullable Double flops,
      @Nullable SpeedupCurve curve) {
    return new Listing(
        new Machine(
            "aws", name, family, 4, memory, null, Bandwidth.ofGbps(gbps), null, flops, curve),
        new Place("aws", "us-east-1", null),
        spot == null ? null : Money.parse(spot),
        Money.parse(onDemand));
  }
}
