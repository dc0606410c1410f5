package io.deepvm.catalog.skypilot;

import io.deepvm.base.TextSource;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.CatalogFormat;
import io.deepvm.catalog.ImportedCatalog;
import io.deepvm.catalog.csv.CsvTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** SkyPilot's catalogs: one CSV a cloud, named after the cloud, one row a machine and zone. */
public final class SkyPilotFormat implements CatalogFormat {

  @Override
  public String name() {
    return "SkyPilot's CSV";
  }

  @Override
  public boolean recognises(String opening) {
    String header = opening.lines().findFirst().orElse("");
    return List.of(header.split(",", -1)).containsAll(List.of("InstanceType", "Region"));
  }

  @Override
  public ImportedCatalog read(TextSource source) {
    String cloud = Places.clean(source.stem()).toLowerCase(Locale.ROOT);
    CloudImport rows = new CloudImport(source.label(), cloud);
    try (CsvTable table = CsvTable.open(source)) {
      SkyPilotRows read = new SkyPilotRows(table);
      if (cloud.equals(GcpParts.CLOUD)) {
        readParts(read, rows);
      } else {
        for (SkyPilotRow row = read.next(); row != null; row = read.next()) {
          rows.add(row);
        }
      }
    }
    return new ImportedCatalog(
        new Catalog(source.stem(), null, "SkyPilot catalog, " + cloud, rows.listings(), List.of()),
        List.of(rows.report()));
  }

  private static void readParts(SkyPilotRows read, CloudImport rows) {
    List<SkyPilotRow> all = new ArrayList<>();
    for (SkyPilotRow row = read.next(); row != null; row = read.next()) {
      all.add(row);
    }
    new GcpParts(all).addTo(rows);
  }
}
