package io.deepvm.catalog.refresh;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.PriceDate;
import io.deepvm.catalog.PriceDates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Prices that were read since the program was built: a folder with one catalog a cloud. */
public final class PriceCache {

  /** The catalog that has the newest prices of each cloud. */
  public static final String NAME = "refreshed";

  private static final String ENDING = ".csv.gz";

  private final Path folder;

  public PriceCache(Path folder) {
    this.folder = folder;
  }

  /** Keeps the prices of a cloud in place of those before. */
  public void keep(String cloud, Catalog prices) throws IOException {
    Files.createDirectories(folder);
    Catalogs.write(prices, folder.resolve(cloud + ENDING));
  }

  /** Returns the folder. */
  public Path folder() {
    return folder;
  }

  /** Whether nothing was ever kept. */
  public boolean isEmpty() {
    return files().isEmpty();
  }

  /**
   * Returns for each cloud the newer of the kept prices and the built-in snapshot's; without kept
   * prices, the snapshot itself.
   *
   * @param notes receives which files cannot be used, and why
   */
  public Catalog newest(Consumer<String> notes) {
    Catalog snapshot = Catalogs.load(Catalogs.DEFAULT);
    Map<String, Catalog> newer = new TreeMap<>();
    for (Path file : files()) {
      String name = String.valueOf(file.getFileName());
      String cloud = name.substring(0, name.length() - ENDING.length());
      try {
        Catalog kept = Catalogs.load(file.toString());
        if (isAtLeastAsNew(kept.dates().of(cloud), snapshot.dates().of(cloud))) {
          newer.put(cloud, of(cloud, kept));
        }
      } catch (BadInput e) {
        notes.accept(
            "Refreshed prices of %s are not used: %s Maybe repeat 'deepvm catalog refresh'."
                .formatted(cloud, e.getMessage()));
      }
    }
    return newer.isEmpty() ? snapshot : merged(snapshot, newer);
  }

  private static Catalog of(String cloud, Catalog kept) {
    return kept.with(
        kept.listings().stream().filter(each -> each.place().cloud().equals(cloud)).toList());
  }

  private static boolean isAtLeastAsNew(@Nullable PriceDate kept, @Nullable PriceDate builtIn) {
    return builtIn == null || (kept != null && !kept.latest().isBefore(builtIn.latest()));
  }

  private static Catalog merged(Catalog snapshot, Map<String, Catalog> newer) {
    List<Catalog> parts = new ArrayList<>(newer.values());
    List<Listing> rest =
        snapshot.listings().stream()
            .filter(each -> !newer.containsKey(each.place().cloud()))
            .toList();
    if (!rest.isEmpty()) {
      parts.add(snapshot.with(rest));
    }
    List<Listing> all = new ArrayList<>();
    parts.forEach(part -> all.addAll(part.listings()));
    String source =
        newer.entrySet().stream()
            .map(each -> "%s %s".formatted(each.getKey(), each.getValue().source()))
            .collect(Collectors.joining(", "));
    return new Catalog(
        NAME,
        rest.isEmpty() ? source : source + "; the rest from the snapshot",
        PriceDates.merged(parts),
        all,
        snapshot.quotas());
  }

  private List<Path> files() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).matches("[a-z][a-z0-9_-]*\\.csv\\.gz"))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
