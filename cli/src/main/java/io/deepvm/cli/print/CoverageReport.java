package io.deepvm.cli.print;

import io.deepvm.catalog.Catalog;
import java.io.PrintWriter;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How old a catalog is and what it covers, as of a given day. */
public record CoverageReport(
    Catalog catalog, List<Coverage> clouds, LocalDate today, PrintWriter out) {

  /** Prints it for people. */
  public void table(Paint paint) {
    Long age = ageInDays();
    out.println(
        paint.strong(
            "Catalog '%s', %s."
                .formatted(
                    catalog.name(),
                    age == null
                        ? "of an unstated day"
                        : "prices of %s, %s old"
                            .formatted(catalog.asOf(), age == 1 ? "1 day" : age + " days"))));
    if (!catalog.source().isBlank()) {
      out.println(paint.faint("Source: " + catalog.source()));
    }
    if (!catalog.quotas().isEmpty()) {
      out.println(paint.faint("Quotas: " + catalog.quotas().size()));
    }
    out.println();
    Table table =
        new Table(
            "CLOUD",
            "PRICES OF",
            "REGIONS>",
            "LISTINGS>",
            "SPOT>",
            "ON-DEMAND>",
            "TYPES>",
            "TRAINING>",
            "WITH FLOPS>",
            "WITH GPU MEMORY>",
            "WITH NETWORK>");
    for (Coverage c : clouds) {
      table.row(
          c.cloud(),
          OfferList.known(catalog.dates().of(c.cloud())),
          Figures.count(c.regions()),
          Figures.count(c.listings()),
          Figures.count(c.spotOffers()),
          Figures.count(c.onDemandOffers()),
          Figures.count(c.machines()),
          Figures.count(c.gpuMachines()),
          of(c.withFlops(), c.gpuMachines()),
          of(c.withGpuMemory(), c.gpuMachines()),
          of(c.withNetwork(), c.machines()));
    }
    table.print(out, paint, "");
  }

  /** Prints it as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/catalog-status/v1");
          json.put("name", catalog.name());
          json.put("asOf", catalog.asOf());
          json.put("ageDays", ageInDays());
          json.put("source", catalog.source());
          json.put("quotas", catalog.quotas().size());
          json.array(
              "clouds",
              all -> {
                for (Coverage c : clouds) {
                  all.object(
                      o -> {
                        o.put("cloud", c.cloud());
                        o.put("asOf", catalog.dates().of(c.cloud()));
                        o.put("regions", c.regions());
                        o.put("listings", c.listings());
                        o.put("spotOffers", c.spotOffers());
                        o.put("onDemandOffers", c.onDemandOffers());
                        o.put("machines", c.machines());
                        o.put("trainingMachines", c.gpuMachines());
                        o.put("withFlops", c.withFlops());
                        o.put("withGpuMemory", c.withGpuMemory());
                        o.put("withNetwork", c.withNetwork());
                      });
                }
              });
        });
  }

  /** Prints it as CSV, one row per cloud. */
  public void csv() {
    Csv csv =
        new Csv(out)
            .row(
                "catalog",
                "as_of",
                "age_days",
                "cloud",
                "regions",
                "listings",
                "spot_offers",
                "on_demand_offers",
                "machines",
                "training_machines",
                "with_flops",
                "with_gpu_memory",
                "with_network",
                "cloud_as_of");
    for (Coverage c : clouds) {
      csv.row(
          catalog.name(),
          catalog.asOf(),
          ageInDays(),
          c.cloud(),
          c.regions(),
          c.listings(),
          c.spotOffers(),
          c.onDemandOffers(),
          c.machines(),
          c.gpuMachines(),
          c.withFlops(),
          c.withGpuMemory(),
          c.withNetwork(),
          catalog.dates().of(c.cloud()));
    }
  }

  private @Nullable Long ageInDays() {
    return catalog.asOf() == null ? null : ChronoUnit.DAYS.between(catalog.asOf(), today);
  }

  private static String of(int known, int all) {
    return "%s of %s".formatted(Figures.count(known), Figures.count(all));
  }
}
