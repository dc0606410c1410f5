package io.deepvm.cli.checkpoint;

import io.deepvm.checkpoint.Checkpoints;
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

/** Checks checkpoints. */
@Command(
    name = "verify",
    description =
        "Reads every byte of the checkpoints and compares the checksums; exit code 3 on damage.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm checkpoint verify --store checkpoints --name training"})
@SuppressWarnings("NullAway.Init")
public final class CheckpointVerifyCommand implements Callable<Integer> {

  @Mixin private StoreOptions store;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CheckpointVerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    List<Row> rows = new ArrayList<>();
    boolean sound = true;
    try (StoreOptions.Store from = store.open()) {
      Checkpoints checkpoints = new Checkpoints(List.of(from.tier()), 2);
      for (String job : from.jobs()) {
        for (Holding holding : from.tier().list(job)) {
          if (holding.condition() != Holding.Condition.UNCOMMITTED) {
            List<String> problems =
                holding.complete()
                    ? checkpoints.verify(holding.version())
                    : List.of("incomplete or damaged");
            sound &= problems.isEmpty();
            String status = problems.isEmpty() ? "sound" : String.join(" ", problems);
            rows.add(Row.of(holding.version(), holding.bytes(), status));
          }
        }
      }
    }
    print(rows);
    return sound ? Exit.DONE : Exit.INFEASIBLE;
  }

  private void print(List<Row> rows) {
    CheckpointReport report = new CheckpointReport("verify", rows, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
  }
}
