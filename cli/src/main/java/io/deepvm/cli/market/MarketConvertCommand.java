package io.deepvm.cli.market;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Catalogs;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.options.TraceOptions;
import io.deepvm.cli.options.Values;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.MarketReport;
import io.deepvm.market.CatalogPrices;
import io.deepvm.market.GapRule;
import io.deepvm.market.Markets;
import io.deepvm.market.Prices;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import io.deepvm.market.stats.MarketStats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes traces in our own format. */
@Command(
    name = "convert",
    description =
        "Writes traces in DeepVM's own CSV format, with prices and gaps filled if asked, and"
            + " describes what was written.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm market convert examples/h100-counts.csv --instance-type a3-highgpu-1g \\",
      "    --tick 30min --gap last --out h100.csv.gz"
    })
@SuppressWarnings("NullAway.Init")
public final class MarketConvertCommand implements Callable<Integer> {

  @Mixin private TraceOptions traces;

  @Option(
      names = "--out",
      converter = GivenPath.Target.class,
      required = true,
      paramLabel = "FILE",
      description = "The file to write, gzipped when it ends in .gz.")
  private Path target;

  @Option(
      names = "--gap",
      paramLabel = "unavailable|last|refuse",
      description = "What a tick in which nobody looked is taken for (default: it stays a gap).")
  private @Nullable GapRule gap;

  @Option(
      names = "--start",
      paramLabel = "TIME",
      description = "When the traces began, where the files do not say, e.g. 2023-02-15T22:08:16Z.")
  private @Nullable Instant start;

  @Option(
      names = "--nodes",
      converter = Values.Count.class,
      paramLabel = "N",
      description = "Scale the counts to N nodes asked for.")
  private @Nullable Integer nodes;

  @ArgGroup private @Nullable PriceList prices;

  @Option(names = "--force", description = "Overwrite the file if it exists.")
  private boolean force;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public MarketConvertCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Where missing prices come from. */
  static final class PriceList {

    @Option(
        names = "--prices",
        converter = GivenPath.Source.class,
        paramLabel = "FILE",
        description = "Take missing prices from this price history.")
    private @Nullable Path history;

    @Option(
        names = "--catalog",
        paramLabel = "NAME|PATH",
        description = "Take missing prices from this catalog.")
    private @Nullable String catalog;

    private Prices load() {
      return history != null
          ? Markets.priceHistory(history)
          : new CatalogPrices(Catalogs.load(catalog == null ? Catalogs.DEFAULT : catalog));
    }
  }

  @Override
  public Integer call() {
    if (Files.exists(target) && !force) {
      throw new BadInput(
          "'%s' exists already.".formatted(target),
          "Maybe choose another name, or overwrite it with --force.");
    }
    Recording read = traces.load(terminal, output.format != Format.JSON);
    Recording written =
        Progress.during(terminal, "Converting", () -> read.with(converted(read.traces())));
    Markets.write(written, target);
    MarketReport report =
        new MarketReport(written, MarketStats.of(written.traces()), terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    terminal.err().println("%d traces written to %s".formatted(written.traces().size(), target));
    return Exit.DONE;
  }

  private List<Trace> converted(List<Trace> recorded) {
    if (start != null && recorded.stream().allMatch(trace -> trace.start() != null)) {
      throw new BadInput(
          "The traces say themselves when they began, and --start (%s) would change nothing."
              .formatted(start),
          "Maybe leave --start out.");
    }
    List<Trace> dated = recorded.stream().map(this::dated).toList();
    List<Trace> priced = prices == null ? dated : prices.load().joinedTo(dated);
    return priced.stream()
        .map(trace -> nodes == null ? trace : trace.scaled(nodes))
        .map(trace -> gap == null ? trace : trace.filled(gap))
        .toList();
  }

  private Trace dated(Trace trace) {
    return start == null || trace.start() != null ? trace : trace.startingAt(start);
  }
}
