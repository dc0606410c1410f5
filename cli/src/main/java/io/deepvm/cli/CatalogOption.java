package io.deepvm.cli;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import picocli.CommandLine.Option;

/** Which catalog to use. */
final class CatalogOption {

  @Option(
      names = "--catalog",
      paramLabel = "NAME|PATH",
      description =
          "A built-in catalog (snapshot, paper, paper-simulation), a catalog file, or a folder of"
              + " downloaded CSVs (default: ${DEFAULT-VALUE}).")
  String nameOrPath = Catalogs.DEFAULT;

  /** Whether the user named none. */
  boolean isUsual() {
    return nameOrPath.equals(Catalogs.DEFAULT);
  }

  Catalog load() {
    return Catalogs.load(nameOrPath);
  }
}
