package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.compact.CompactFormat;
import io.deepvm.catalog.deepvm.DeepVmFormat;
import io.deepvm.catalog.skypilot.SkyPilotFormat;
import java.io.IOException;
import java.io.Writer;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds and reads catalogs, by built-in name or from files in any known format. */
public final class Catalogs {

  /** The built-in multi-cloud snapshot, used when the user names no catalog. */
  public static final String DEFAULT = "snapshot";

  private static final Map<String, String> BUILT_IN =
      Map.of(
          DEFAULT,
          "snapshot.csv.gz",
          "paper",
          "paper.csv",
          "paper-simulation",
          "paper-simulation.csv");

  private static final List<CatalogFormat> FORMATS =
      List.of(new CompactFormat(), new DeepVmFormat(), new SkyPilotFormat());

  /** Built-in catalogs that were read before, for as long as there is memory for them. */
  private static final Map<String, SoftReference<Catalog>> READ = new ConcurrentHashMap<>();

  private Catalogs() {}

  /** Returns the names of the built-in catalogs. */
  public static List<String> builtIn() {
    return List.of(DEFAULT, "paper", "paper-simulation");
  }

  /**
   * Reads a built-in catalog by name, a file (ours, DeepVM's JSON, a SkyPilot CSV) or a folder of
   * SkyPilot CSVs.
   */
  public static Catalog load(String nameOrPath) {
    if (!BUILT_IN.containsKey(nameOrPath)) {
      return read(nameOrPath).catalog();
    }
    SoftReference<Catalog> known = READ.get(nameOrPath);
    Catalog catalog = known == null ? null : known.get();
    if (catalog == null) {
      catalog = read(nameOrPath).catalog();
      READ.put(nameOrPath, new SoftReference<>(catalog));
    }
    return catalog;
  }

  /** Reads like {@link #load} and also reports what became of the rows of each file. */
  public static ImportedCatalog read(String nameOrPath) {
    String resource = BUILT_IN.get(nameOrPath);
    if (resource != null) {
      return new CompactFormat().read(TextSource.builtIn(nameOrPath, Catalogs.class, resource));
    }
    Path path = path(nameOrPath);
    if (path != null && Files.isDirectory(path)) {
      return readFolder(path);
    }
    if (path != null && Files.exists(path)) {
      return readFile(path);
    }
    throw new BadInput(
        "There is no catalog, file or folder '%s'.".formatted(nameOrPath),
        Suggestion.maybe(
            nameOrPath,
            builtIn(),
            "Maybe name a file, a folder of CSV files, or one of the built-in catalogs %s."
                .formatted(String.join(", ", builtIn()))));
  }

  /** Writes a catalog in our own format, gzipped when the name ends in .gz. */
  public static void write(Catalog catalog, Path file) {
    CompactFormat.write(catalog, file);
  }

  /** Writes some listings of a catalog in our own format. */
  public static void write(Catalog catalog, List<Listing> listings, Writer out) throws IOException {
    CompactFormat.write(catalog, listings, out);
  }

  private static @Nullable Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private static ImportedCatalog readFile(Path file) {
    TextSource source = TextSource.of(file);
    String opening = source.opening();
    for (CatalogFormat format : FORMATS) {
      if (format.recognises(opening)) {
        return format.read(source);
      }
    }
    throw new BadInput(
        "%s is in no catalog format we know.".formatted(file),
        "Maybe it should be one of: %s."
            .formatted(String.join(", ", FORMATS.stream().map(CatalogFormat::name).toList())));
  }

  private static ImportedCatalog readFolder(Path folder) {
    List<ImportedCatalog> parts = csvFiles(folder).stream().map(Catalogs::readFile).toList();
    List<Listing> listings = new ArrayList<>();
    Set<Listing.Key> seen = new HashSet<>();
    for (ImportedCatalog part : parts) {
      for (Listing listing : part.catalog().listings()) {
        if (parts.size() > 1 && !seen.add(listing.key())) {
          throw new BadInput(
              "Two files in %s list %s in %s."
                  .formatted(folder, listing.machine().name(), listing.place()),
              "Maybe one of the files is an older copy.");
        }
        listings.add(listing);
      }
    }
    Path absolute = folder.toAbsolutePath().normalize();
    String name = Objects.requireNonNullElse(absolute.getFileName(), absolute).toString();
    Catalog merged =
        new Catalog(
            name,
            "CSV files in the folder " + name,
            PriceDates.merged(parts.stream().map(ImportedCatalog::catalog).toList()),
            listings,
            parts.stream().flatMap(part -> part.catalog().quotas().stream()).toList());
    return new ImportedCatalog(
        merged, parts.stream().flatMap(part -> part.reports().stream()).toList());
  }

  private static List<Path> csvFiles(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> csv =
          files
              .filter(
                  file -> file.toString().endsWith(".csv") || file.toString().endsWith(".csv.gz"))
              .filter(Files::isRegularFile)
              .sorted()
              .toList();
      if (csv.isEmpty()) {
        throw new BadInput(
            "The folder %s holds no CSV files.".formatted(folder),
            "Maybe name the folder the catalogs were downloaded to.");
      }
      return csv;
    } catch (IOException e) {
      throw new BadInput(
          "The folder %s cannot be listed: %s.".formatted(folder, e), "Maybe you may not read it.");
    }
  }
}
