package io.deepvm.cli.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.ImportReport;
import io.deepvm.catalog.ImportedCatalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PriceDates;
import io.deepvm.catalog.Quota;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.ImportSummary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Turns downloaded price lists into a catalog. */
@Command(
    name = "import",
    description =
        "Turns downloaded price lists into a catalog file, and reports what became of them.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm catalog import examples/skypilot-catalog --out prices.csv.gz --as-of 2026-08-22"
    })
@SuppressWarnings("NullAway.Init")
public final class CatalogImportCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "FILE|FOLDER",
      arity = "1..*",
      description = "SkyPilot-style CSVs, DeepVM's JSON, or folders of them.")
  private List<String> sources;

  @Option(
      names = "--out",
      converter = GivenPath.Target.class,
      required = true,
      paramLabel = "FILE",
      description = "The catalog to write, gzipped when it ends in .gz.")
  private Path target;

  @Option(
      names = "--as-of",
      paramLabel = "DATE",
      description = "The day the prices were read, e.g. 2026-08-22 (default: what the files say).")
  private @Nullable LocalDate asOf;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "What the catalog calls itself (default: the file's name).")
  private @Nullable String name;

  @Option(names = "--force", description = "Overwrite the file if it exists.")
  private boolean force;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CatalogImportCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (Files.exists(target) && !force) {
      throw new BadInput(
          "'%s' exists already.".formatted(target),
          "Maybe choose another name, or overwrite it with --force.");
    }
    ImportedCatalog imported = Progress.during(terminal, "Importing", this::read);
    Catalogs.write(imported.catalog(), target);
    ImportSummary summary = new ImportSummary(imported.reports(), terminal.out());
    switch (output.format) {
      case TABLE -> summary.table(terminal.paint());
      case JSON -> summary.json();
      case CSV -> summary.csv();
    }
    terminal
        .err()
        .println(
            "Catalog '%s' with %d listings written to %s"
                .formatted(
                    imported.catalog().name(), imported.catalog().listings().size(), target));
    return Exit.DONE;
  }

  private ImportedCatalog read() {
    List<ImportReport> reports = new ArrayList<>();
    List<Listing> listings = new ArrayList<>();
    List<Quota> quotas = new ArrayList<>();
    Set<Offered> seen = new HashSet<>();
    List<Catalog> parts = new ArrayList<>();
    for (String source : sources) {
      ImportedCatalog part = Catalogs.read(source);
      for (Listing listing : part.catalog().listings()) {
        if (!seen.add(new Offered(listing.place(), listing.machine().name()))) {
          throw new BadInput(
              "'%s' lists %s in %s a second time."
                  .formatted(source, listing.machine().name(), listing.place()),
              "Maybe two of the files are copies of each other.");
        }
      }
      listings.addAll(part.catalog().listings());
      quotas.addAll(part.catalog().quotas());
      reports.addAll(part.reports());
      parts.add(part.catalog());
    }
    Catalog catalog =
        new Catalog(
            name == null ? stem(target) : name,
            "imported from " + String.join(", ", sources),
            asOf == null ? PriceDates.merged(parts) : PriceDates.of(asOf),
            listings,
            quotas);
    return new ImportedCatalog(catalog, reports);
  }

  private record Offered(Place place, String instanceType) {}

  private static String stem(Path file) {
    String stem = String.valueOf(file.getFileName());
    int dot = stem.indexOf('.', 1);
    return dot < 0 ? stem : stem.substring(0, dot);
  }
}
