package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.refresh.SnapshotSelection;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Makes the built-in snapshot anew from downloaded SkyPilot CSVs; run by name only, as
 * docs/reference/catalog-format.md says.
 */
final class RefreshSnapshot {

  @Test
  void writesTheSnapshotFromTheFolderNamedInTheProperties() {
    String folder =
        Objects.requireNonNull(System.getProperty("catalog.folder"), "-Dcatalog.folder");
    LocalDate asOf =
        LocalDate.parse(
            Objects.requireNonNull(System.getProperty("catalog.asOf"), "-Dcatalog.asOf"));
    String source =
        Objects.requireNonNull(System.getProperty("catalog.source"), "-Dcatalog.source");
    Path file =
        Path.of(
            System.getProperty("deepvm.root"),
            "catalog/src/main/resources/io/deepvm/catalog/snapshot.csv.gz");

    List<Listing> chosen = SnapshotSelection.of(Catalogs.load(folder).listings());
    PriceDates dates = new PriceDates(asOf, clouds(), PriceDates.Use.RENTING);
    Catalogs.write(new Catalog(Catalogs.DEFAULT, source, dates, chosen, List.of()), file);

    assertThat(Catalogs.load(file.toString()).listings()).isEqualTo(chosen);
  }

  /** Returns the dates of the clouds that differ, from "azure=2025-09,gcp=2026-08". */
  private static Map<String, PriceDate> clouds() {
    Map<String, PriceDate> dates = new TreeMap<>();
    for (String one : System.getProperty("catalog.asOfClouds", "").split(",", -1)) {
      if (!one.isEmpty()) {
        String[] parts = one.split("=", 2);
        dates.put(parts[0], PriceDate.parse(parts[1]));
      }
    }
    return dates;
  }
}
