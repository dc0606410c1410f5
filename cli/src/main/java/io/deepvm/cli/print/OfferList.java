package io.deepvm.cli.print;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Offer;
import io.deepvm.units.DataSize;
import io.deepvm.units.Numbers;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Offers, one a line. */
public final class OfferList {

  static final String UNKNOWN = "unknown";

  private final PrintWriter out;
  private final Paint paint;

  public OfferList(PrintWriter out, Paint paint) {
    this.out = out;
    this.paint = paint;
  }

  /** Prints the first offers for people, and how many more there are. */
  public void table(List<Offer> offers, int limit, Catalog catalog) {
    if (offers.isEmpty()) {
      out.println("Nothing in the catalog '%s' fits.".formatted(catalog.name()));
      return;
    }
    Table table =
        new Table(
            "TYPE",
            "GPU",
            "GPU MEMORY>",
            "VCPUS>",
            "MEMORY>",
            "NETWORK>",
            "PLACE",
            "MARKET",
            "PRICE/H>");
    for (Offer offer : offers.subList(0, Math.min(limit, offers.size()))) {
      Machine machine = offer.machine();
      Gpus gpus = machine.gpus();
      table.row(
          machine.name(),
          gpus == null ? "-" : Clusters.gpus(gpus),
          gpus == null ? "-" : known(gpus.model().memory()),
          Numbers.print(machine.vcpus()),
          known(machine.memory()),
          known(machine.network()),
          offer.place().toString(),
          offer.market().toString(),
          offer.pricePerHour().toString());
    }
    table.print(out, paint, "");
    if (offers.size() > limit) {
      out.println(paint.faint("... and %s more".formatted(Figures.count(offers.size() - limit))));
    }
    out.println(paint.faint(PlanTable.prices(catalog)));
  }

  /** Prints all offers as JSON. */
  public void json(List<Offer> offers, Catalog catalog) {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/offers/v1");
          json.object(
              "catalog",
              c -> {
                c.put("name", catalog.name());
                c.put("asOf", catalog.asOf());
              });
          json.array(
              "offers",
              list -> {
                for (Offer offer : offers) {
                  list.object(
                      o -> {
                        o.put("cloud", offer.place().cloud());
                        o.put("region", offer.place().region());
                        o.put("zone", offer.place().zone());
                        o.put("instanceType", offer.machine().name());
                        o.put("market", offer.market());
                        o.put("usdPerHour", offer.pricePerHour());
                        MachineSheet.facts(o, offer.machine());
                      });
                }
              });
        });
  }

  /** Prints all offers as CSV. */
  public void csv(List<Offer> offers) {
    Csv csv =
        new Csv(out)
            .row(
                "cloud",
                "region",
                "zone",
                "instance_type",
                "market",
                "usd_per_hour",
                "gpu",
                "gpu_count",
                "gpu_memory_bytes",
                "vcpus",
                "memory_bytes",
                "network_bits_per_second");
    for (Offer offer : offers) {
      Machine machine = offer.machine();
      Gpus gpus = machine.gpus();
      csv.row(
          offer.place().cloud(),
          offer.place().region(),
          offer.place().zone(),
          machine.name(),
          offer.market(),
          Json.dollars(offer.pricePerHour()),
          gpus == null ? null : gpus.model().name(),
          gpus == null ? null : gpus.count(),
          gpus == null ? null : bytes(gpus.model().memory()),
          machine.vcpus(),
          bytes(machine.memory()),
          machine.network() == null ? null : machine.network().bitsPerSecond());
    }
  }

  static @Nullable Long bytes(@Nullable DataSize size) {
    return size == null ? null : size.bytes();
  }

  static String known(@Nullable Object fact) {
    return fact == null ? UNKNOWN : fact.toString();
  }
}
