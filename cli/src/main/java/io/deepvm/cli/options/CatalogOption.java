package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.refresh.PriceCache;
import io.deepvm.cli.console.Terminal;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which catalog to use. */
public final class CatalogOption {

  private static final String PRICES = "prices";

  @Option(
      names = "--catalog",
      paramLabel = "NAME|PATH",
      description =
          "A built-in catalog (snapshot, paper, paper-simulation), 'refreshed' for what 'catalog"
              + " refresh' read, a catalog file, or a folder of downloaded CSVs (default: for each"
              + " cloud the newer of snapshot and refreshed).")
  @Nullable String nameOrPath;

  /** Whether the user named none. */
  public boolean isUsual() {
    return nameOrPath == null || nameOrPath.equals(Catalogs.DEFAULT);
  }

  /** Reads the catalog. */
  public Catalog load(Terminal terminal) {
    PriceCache cache = cache(terminal);
    if (nameOrPath == null) {
      return cache == null
          ? Catalogs.load(Catalogs.DEFAULT)
          : cache.newest(terminal.err()::println);
    }
    if (nameOrPath.equals(PriceCache.NAME)) {
      if (cache == null || cache.isEmpty()) {
        throw new BadInput(
            "No prices were refreshed here.", "Maybe run 'deepvm catalog refresh' first.");
      }
      return cache.newest(terminal.err()::println);
    }
    return Catalogs.load(nameOrPath);
  }

  /** Returns the user's refreshed prices, or null where there is no folder for them. */
  public static @Nullable PriceCache cache(Terminal terminal) {
    Path folder = terminal.cache();
    return folder == null ? null : new PriceCache(folder.resolve(PRICES));
  }
}
