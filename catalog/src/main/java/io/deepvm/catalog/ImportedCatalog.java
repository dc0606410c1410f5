package io.deepvm.catalog;

import java.util.List;

/** A catalog and, for each file it was read from, what became of the rows. */
public record ImportedCatalog(Catalog catalog, List<ImportReport> reports) {

  public ImportedCatalog {
    reports = List.copyOf(reports);
  }
}
