package io.deepvm.cli.print;

import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Precision;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One instance type: what is known, what is not, and what it costs where. */
public final class MachineSheet {

  private final PrintWriter out;
  private final Paint paint;

  public MachineSheet(PrintWriter out, Paint paint) {
    this.out = out;
    this.paint = paint;
  }

  /** Prints the sheet for people; several clouds may use the name. */
  public void table(List<Listing> listings, Catalog catalog) {
    byMachine(listings)
        .forEach(
            (machine, places) -> {
              out.println(paint.strong("%s on %s".formatted(machine.name(), machine.cloud())));
              facts(machine);
              out.println();
              Table table = new Table("PLACE", "SPOT/H>", "ON-DEMAND/H>", "SPOT SAVES>");
              for (Listing listing : places) {
                table.row(
                    listing.place().toString(),
                    price(listing.spot()),
                    price(listing.onDemand()),
                    saving(listing));
              }
              table.print(out, paint, "  ");
              out.println();
            });
    out.println(paint.faint(PlanTable.prices(catalog)));
  }

  /** Prints the sheet as JSON. */
  public void json(List<Listing> listings, Catalog catalog) {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/machines/v1");
          CatalogJson.put(json, catalog);
          json.array(
              "machines",
              machines -> {
                for (Map.Entry<Machine, List<Listing>> e : byMachine(listings).entrySet()) {
                  machines.object(m -> machine(m, e.getKey(), e.getValue()));
                }
              });
        });
  }

  /** Prints the prices by place as CSV. */
  public void csv(List<Listing> listings) {
    Csv csv =
        new Csv(out)
            .row(
                "cloud",
                "region",
                "zone",
                "instance_type",
                "spot_usd_per_hour",
                "on_demand_usd_per_hour");
    byMachine(listings)
        .forEach(
            (machine, places) ->
                places.forEach(
                    l ->
                        csv.row(
                            l.place().cloud(),
                            l.place().region(),
                            l.place().zone(),
                            machine.name(),
                            Json.dollars(l.spot()),
                            Json.dollars(l.onDemand()))));
  }

  private static void machine(Json json, Machine machine, List<Listing> places) throws IOException {
    json.put("cloud", machine.cloud());
    json.put("instanceType", machine.name());
    json.put("family", machine.family());
    facts(json, machine);
    json.array(
        "prices",
        prices -> {
          for (Listing listing : places) {
            prices.object(
                p -> {
                  p.put("region", listing.place().region());
                  p.put("zone", listing.place().zone());
                  p.put("spotUsdPerHour", listing.spot());
                  p.put("onDemandUsdPerHour", listing.onDemand());
                });
          }
        });
  }

  /** Writes the hardware facts; an unknown one is null. */
  static void facts(Json json, Machine machine) throws IOException {
    Gpus gpus = machine.gpus();
    json.put("gpu", gpus == null ? null : gpus.model().name());
    json.put("gpuCount", gpus == null ? 0 : (Object) gpus.count());
    json.put("gpuMemoryBytes", gpus == null ? null : OfferList.bytes(gpus.model().memory()));
    for (Precision precision : Precision.values()) {
      json.put(precision + "Flops", machine.flops(precision));
    }
    json.put("vcpus", machine.vcpus());
    json.put("memoryBytes", OfferList.bytes(machine.memory()));
    json.put(
        "networkBitsPerSecond",
        machine.network() == null ? null : machine.network().bitsPerSecond());
    json.put(
        "deviceCopyBitsPerSecond",
        machine.deviceCopy() == null ? null : machine.deviceCopy().bitsPerSecond());
  }

  private void facts(Machine machine) {
    Gpus gpus = machine.gpus();
    fact("family", machine.family());
    fact("vCPUs", Numbers.print(machine.vcpus()));
    fact("memory", OfferList.known(machine.memory()));
    fact("GPU", gpus == null ? "none" : Clusters.gpus(gpus));
    if (gpus != null) {
      fact("GPU memory", OfferList.known(gpus.model().memory()) + " each");
    }
    if (machine.statedFlops() != null) {
      fact("speed", Numbers.print(machine.statedFlops()) + " in the catalog's unit");
    } else if (gpus != null) {
      for (Precision precision : Precision.values()) {
        Double flops = machine.flops(precision);
        if (flops == null && precision == Precision.FP8) {
          continue;
        }
        fact(precision + " dense", flops == null ? OfferList.UNKNOWN : Figures.flops(flops, false));
      }
    }
    fact("network", OfferList.known(machine.network()) + " baseline");
    if (gpus != null) {
      fact("GPU to host", OfferList.known(machine.deviceCopy()));
    }
    if (machine.speedup() != null) {
      fact(
          "scaling",
          "measured, logistic a=%s b=%s c=%s"
              .formatted(
                  Numbers.print(machine.speedup().a()),
                  Numbers.print(machine.speedup().b()),
                  Numbers.print(machine.speedup().c())));
    }
  }

  private void fact(String name, String value) {
    // "unknown baseline" and "unknown each" say less than "unknown"
    String text = value.startsWith(OfferList.UNKNOWN) ? OfferList.UNKNOWN : value;
    out.println("  " + name + " ".repeat(Math.max(1, 14 - name.length())) + text);
  }

  private static Map<Machine, List<Listing>> byMachine(List<Listing> listings) {
    Map<Machine, List<Listing>> machines = new LinkedHashMap<>();
    listings.stream()
        .sorted(
            Comparator.comparing((Listing l) -> l.machine().cloud())
                .thenComparing(MachineSheet::cheapest)
                .thenComparing(l -> l.place().toString()))
        .forEach(l -> machines.computeIfAbsent(l.machine(), m -> new ArrayList<>()).add(l));
    return machines;
  }

  private static Money cheapest(Listing listing) {
    Money spot = listing.spot();
    Money onDemand = listing.onDemand();
    if (spot == null || onDemand == null) {
      return spot != null ? spot : onDemand != null ? onDemand : new Money(Long.MAX_VALUE);
    }
    return spot.compareTo(onDemand) <= 0 ? spot : onDemand;
  }

  private static String price(@Nullable Money price) {
    return price == null ? "-" : price.toString();
  }

  private static String saving(Listing listing) {
    Money spot = listing.spot();
    Money onDemand = listing.onDemand();
    return spot == null || onDemand == null
        ? "-"
        : Numbers.print(100 * (1 - spot.dollars() / onDemand.dollars())) + " %";
  }
}
