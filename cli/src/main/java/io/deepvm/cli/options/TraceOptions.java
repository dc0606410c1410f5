package io.deepvm.cli.options;

import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.market.Alignment;
import io.deepvm.market.Markets;
import io.deepvm.market.Polarity;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which traces, and what their files do not say. */
@SuppressWarnings("NullAway.Init")
public final class TraceOptions {

  private static final int MOST_LINES = 10;

  @Parameters(
      paramLabel = "TRACES",
      description = "Built-in traces ('deepvm market list'), a file, or a folder of files.")
  private String source;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description =
          "How the files are written: deepvm, skynomad, spot-traces, price-history, counts"
              + " (default: recognised by their content).")
  private @Nullable String format;

  @Option(
      names = "--polarity",
      paramLabel = "available|preempted",
      description = "What 1 means in JSON files (default: only where the file makes it certain).")
  private @Nullable Polarity polarity;

  @Option(
      names = "--tick",
      paramLabel = "DURATION",
      description = "How long one tick shall be, e.g. 10min (default: as it was recorded).")
  private @Nullable Duration tick;

  @Option(
      names = "--instance-type",
      paramLabel = "TYPE",
      description = "What was asked for, where the files do not say it.")
  private @Nullable String instanceType;

  @Option(
      names = "--asked",
      converter = Values.Count.class,
      paramLabel = "N",
      description = "How many nodes were asked for (default: as many as were ever seen).")
  private @Nullable Integer asked;

  /** Reads the traces; prints what had to be assumed to the stream of messages if asked for. */
  public Recording load(Terminal terminal, boolean tell) {
    Recording read =
        Progress.during(
            terminal,
            "Reading the traces",
            () ->
                Markets.load(source, new ReadOptions(format, polarity, tick, instanceType, asked)));
    if (tick != null && read.traces().stream().anyMatch(trace -> !trace.tick().equals(tick))) {
      read = read.with(Alignment.onOneClock(read.traces(), tick));
    }
    if (tell) {
      tell(terminal, read);
    }
    return read;
  }

  private static void tell(Terminal terminal, Recording read) {
    read.assumptions().stream()
        .limit(MOST_LINES)
        .forEach(assumption -> terminal.err().println("Assumed: " + assumption));
    int more = read.assumptions().size() - MOST_LINES;
    if (more > 0) {
      terminal.err().println("Assumed: ... and %d more like these.".formatted(more));
    }
  }
}
