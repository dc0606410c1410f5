package io.deepvm.cli.checkpoint;

import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.CheckpointReport;
import io.deepvm.cli.print.CheckpointReport.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Cleans up. */
@Command(
    name = "gc",
    description =
        "Deletes what crashes have left over: versions without a manifest that nobody writes.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm checkpoint gc --store checkpoints"})
@SuppressWarnings("NullAway.Init")
public final class CheckpointGcCommand implements Callable<Integer> {

  @Mixin private StoreOptions store;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CheckpointGcCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    List<Row> rows = new ArrayList<>();
    try (StoreOptions.Store from = store.open()) {
      for (String job : from.jobs()) {
        for (Holding holding : from.tier().list(job)) {
          if (holding.condition() == Holding.Condition.UNCOMMITTED) {
            boolean gone = from.tier().delete(holding.version());
            rows.add(Row.of(holding.version(), holding.bytes(), gone ? "deleted" : "in use"));
          }
        }
      }
    }
    print(rows);
    return Exit.DONE;
  }

  private void print(List<Row> rows) {
    CheckpointReport report = new CheckpointReport("gc", rows, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
  }
}
