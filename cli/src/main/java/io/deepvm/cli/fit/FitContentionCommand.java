package io.deepvm.cli.fit;

import io.deepvm.base.Bandwidth;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.Values;
import io.deepvm.workload.fit.ContentionFit;
import io.deepvm.workload.fit.MeasurementFile;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Fits how workers crowd a parameter server's link. */
@Command(
    name = "contention",
    description =
        "Fits how workers crowd the parameter servers' links. Columns: workers,megabytes_per_second"
            + " (what one worker gets).",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  deepvm fit contention examples/contention.csv --alone 142MB/s --servers 1200MB/s"
    })
@SuppressWarnings("NullAway.Init")
public final class FitContentionCommand implements Callable<Integer> {

  @Mixin private FitOptions options;

  @Option(
      names = "--alone",
      required = true,
      paramLabel = "RATE",
      description = "What one worker alone uses, e.g. 142MB/s.")
  private Bandwidth alone;

  @Option(
      names = "--servers",
      required = true,
      paramLabel = "RATE",
      description = "What all parameter servers together can take, e.g. 1200MB/s.")
  private Bandwidth servers;

  private final Terminal terminal;

  public FitContentionCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<ContentionFit.Point> points =
        MeasurementFile.read(options.file, List.of("workers", "megabytes_per_second")).stream()
            .map(
                row ->
                    new ContentionFit.Point(
                        Values.whole("workers", row[0]), Bandwidth.ofMbps(row[1] * Byte.SIZE)))
            .toList();
    return options.print(
        terminal, ContentionFit.of(points, alone, servers).fit(), "parameterServer.contention");
  }
}
