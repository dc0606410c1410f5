package io.deepvm.cli.catalog;

import io.deepvm.catalog.Catalog;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.CatalogOption;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.Coverage;
import io.deepvm.cli.print.CoverageReport;
import java.time.LocalDate;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says how old a catalog is and what it covers. */
@Command(
    name = "status",
    description = "Says how old a catalog is and what it covers.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm catalog status --catalog examples/skypilot-catalog"})
@SuppressWarnings("NullAway.Init")
public final class CatalogStatusCommand implements Callable<Integer> {

  @Mixin private CatalogOption catalog;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CatalogStatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Catalog all = Progress.during(terminal, "Reading the catalog", () -> catalog.load(terminal));
    CoverageReport report =
        new CoverageReport(
            all, Coverage.byCloud(all), LocalDate.now(terminal.clock()), terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
