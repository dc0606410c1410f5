package io.deepvm.cli.options;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import picocli.CommandLine.Option;

/** Which catalog to use. */
public final class CatalogOption {

  @Option(
      names = "--catalog",
      paramLabel = "NAME|PATH",
      description =
          "A built-in catalog (snapshot, paper, paper-simulation), a catalog file, or a folder of"
              + " downloaded CSVs (default: ${DEFAULT-VALUE}).")
  String nameOrPath = Catalogs.DEFAULT;

  /** Whether the user named none. */
  public boolean isUsual() {
    return nameOrPath.equals(Catalogs.DEFAULT);
  }

  public Catalog load() {
    return Catalogs.load(nameOrPath);
  }
}
