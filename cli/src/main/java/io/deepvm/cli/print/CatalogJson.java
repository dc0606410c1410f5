package io.deepvm.cli.print;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.PriceDate;
import java.io.IOException;

/** Names a catalog in JSON: its name, its day, and the date of each cloud's prices. */
final class CatalogJson {

  private CatalogJson() {}

  static void put(Json json, Catalog catalog) throws IOException {
    json.object(
        "catalog",
        c -> {
          c.put("name", catalog.name());
          c.put("asOf", catalog.asOf());
          c.array(
              "snapshots",
              all -> {
                for (String cloud : catalog.clouds()) {
                  PriceDate date = catalog.dates().of(cloud);
                  all.object(
                      o -> {
                        o.put("cloud", cloud);
                        o.put("asOf", date);
                      });
                }
              });
        });
  }
}
