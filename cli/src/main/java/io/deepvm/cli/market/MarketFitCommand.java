package io.deepvm.cli.market;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.options.TraceOptions;
import io.deepvm.cli.options.Values;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.SurvivalReport;
import io.deepvm.market.Recording;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Models how long nodes stay. */
@Command(
    name = "fit",
    description = {
      "Fits how long nodes stay and how long they stay away, and says how likely some nodes all"
          + " last for some time."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm market fit gcp-h100-2025-10 --nodes 8 --survive 4h"})
@SuppressWarnings("NullAway.Init")
public final class MarketFitCommand implements Callable<Integer> {

  @Mixin private TraceOptions traces;

  @Option(
      names = "--nodes",
      converter = Values.Count.class,
      paramLabel = "N",
      description = "The nodes that must all last (default: ${DEFAULT-VALUE}).")
  private int nodes = 1;

  @Option(
      names = "--survive",
      paramLabel = "DURATION",
      description = "How long they must last, e.g. 4h (default: no such question).")
  private @Nullable Duration survive;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public MarketFitCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Recording read = traces.load(terminal, output.format != Format.JSON);
    Duration asked = survive;
    SurvivalReport report =
        Progress.during(
            terminal,
            "Fitting",
            () ->
                SurvivalReport.of(
                    read, nodes, asked == null ? null : asked.toMillis() / 3.6e6, terminal.out()));
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
