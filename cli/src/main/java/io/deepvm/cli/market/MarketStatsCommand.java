package io.deepvm.cli.market;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.options.TraceOptions;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.MarketReport;
import io.deepvm.market.Recording;
import io.deepvm.market.stats.MarketStats;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Describes traces. */
@Command(
    name = "stats",
    description =
        "Says how often nodes could be had, for how long, at what price, and how pools correlate.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm market stats gcp-h100-2025-10"})
@SuppressWarnings("NullAway.Init")
public final class MarketStatsCommand implements Callable<Integer> {

  @Mixin private TraceOptions traces;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public MarketStatsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Recording read = traces.load(terminal, output.format != Format.JSON);
    MarketReport report = new MarketReport(read, MarketStats.of(read), terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
