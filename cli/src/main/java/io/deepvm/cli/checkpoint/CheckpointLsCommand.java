package io.deepvm.cli.checkpoint;

import io.deepvm.checkpoint.Checkpoints;
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

/** Lists checkpoints. */
@Command(
    name = "ls",
    description = "Lists the checkpoints that can be restored, the newest first.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm checkpoint ls --store checkpoints --name training"})
@SuppressWarnings("NullAway.Init")
public final class CheckpointLsCommand implements Callable<Integer> {

  @Mixin private StoreOptions store;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CheckpointLsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    List<Row> rows = new ArrayList<>();
    try (StoreOptions.Store from = store.open()) {
      for (String job : from.jobs()) {
        Checkpoints.Listing listing = new Checkpoints(List.of(from.tier()), 1).list(job);
        for (Checkpoints.Listed listed : listing.checkpoints()) {
          rows.add(Row.of(listed.version(), listed.bytes(), "restorable"));
        }
        listing.problems().forEach(terminal.err()::println);
      }
    }
    print(rows);
    return Exit.DONE;
  }

  private void print(List<Row> rows) {
    CheckpointReport report = new CheckpointReport("ls", rows, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
  }
}
