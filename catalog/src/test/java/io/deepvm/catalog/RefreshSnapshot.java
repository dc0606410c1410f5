package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Makes the built-in snapshot anew from downloaded SkyPilot CSVs; run by name only, as
 * docs/catalog-format.md says.
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
    Catalogs.write(new Catalog(Catalogs.DEFAULT, asOf, source, chosen, List.of()), file);

    assertThat(Catalogs.load(file.toString()).listings()).isEqualTo(chosen);
  }
}
