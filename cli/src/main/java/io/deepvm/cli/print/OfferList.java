package io.deepvm.cli.print;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Offer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** Prints the first offers for people, by what they are sorted, and how many more there are. */
  public void table(List<Offer> offers, OfferOrder order, int limit, Catalog catalog) {
    if (offers.isEmpty()) {
      out.println("Nothing in the catalog '%s' fits.".formatted(catalog.name()));
      return;
    }
    boolean perGpu = order == OfferOrder.PRICE_PER_GPU;
    List<String> titles =
        new ArrayList<>(
            List.of(
                "TYPE",
                "GPU",
                "GPU MEMORY>",
                "VCPUS>",
                "MEMORY>",
                "NETWORK>",
                "PLACE",
                "MARKET",
                "PRICE/H>"));
    if (perGpu) {
      titles.add("PRICE/GPU>");
    }
    Table table = new Table(titles.stream().map(order::heading).toArray(String[]::new));
    for (Offer offer : offers.subList(0, Math.min(limit, offers.size()))) {
      List<String> cells = cells(offer);
      if (perGpu) {
        Double price = OfferOrder.pricePerGpu(offer);
        cells.add(price == null ? "-" : Money.of(BigDecimal.valueOf(price)).toString());
      }
      table.row(cells.toArray(String[]::new));
    }
    table.print(out, paint, "");
    if (offers.size() > limit) {
      out.println(paint.faint("... and %s more".formatted(Figures.count(offers.size() - limit))));
    }
    out.println(paint.faint(PlanTable.prices(catalog)));
  }

  private static List<String> cells(Offer offer) {
    Machine machine = offer.machine();
    Gpus gpus = machine.gpus();
    return new ArrayList<>(
        List.of(
            machine.name(),
            gpus == null ? "-" : Clusters.gpus(gpus),
            gpus == null ? "-" : known(gpus.model().memory()),
            Numbers.print(machine.vcpus()),
            known(machine.memory()),
            known(machine.network()),
            offer.place().toString(),
            offer.market().toString(),
            offer.pricePerHour().toString()));
  }

  /** Prints all offers as JSON. */
  public void json(List<Offer> offers, Catalog catalog) {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/offers/v1");
          CatalogJson.put(json, catalog);
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

  /**
   * Prints the listings of all offers in our own catalog format, each with the prices of the offers
   * alone, so that the list can be used as a catalog.
   */
  public void csv(List<Offer> offers, Catalog catalog) {
    Map<Listing.Key, Listing> listings = new LinkedHashMap<>();
    for (Offer offer : offers) {
      boolean spot = offer.market() == Market.SPOT;
      Listing alone =
          new Listing(
              offer.machine(),
              offer.place(),
              spot ? offer.pricePerHour() : null,
              spot ? null : offer.pricePerHour());
      listings.merge(alone.key(), alone, OfferList::both);
    }
    try {
      Catalogs.write(catalog, List.copyOf(listings.values()), out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Listing both(Listing one, Listing other) {
    return new Listing(
        one.machine(),
        one.place(),
        one.spot() == null ? other.spot() : one.spot(),
        one.onDemand() == null ? other.onDemand() : one.onDemand());
  }

  static @Nullable Long bytes(@Nullable DataSize size) {
    return size == null ? null : size.bytes();
  }

  static String known(@Nullable Object fact) {
    return fact == null ? UNKNOWN : fact.toString();
  }
}
