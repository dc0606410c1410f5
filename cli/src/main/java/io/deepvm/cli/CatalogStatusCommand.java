package io.deepvm.cli;

import io.deepvm.catalog.Catalog;
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
final class CatalogStatusCommand implements Callable<Integer> {

  @Mixin private CatalogOption catalog;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  CatalogStatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Catalog all = Progress.during(terminal, "Reading the catalog", catalog::load);
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
