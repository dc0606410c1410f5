package io.deepvm.cli.run;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.coordinator.RemoteRun;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Says how a run stands, from its log alone. */
@Command(
    name = "status",
    description = "Says how a run stands: its step and loss, its nodes and what they cost.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm status deepvm-run"})
@SuppressWarnings("NullAway.Init")
public final class StatusCommand implements Callable<Integer> {

  @Parameters(paramLabel = "FOLDER", description = "The run's folder.")
  private Path folder;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    RemoteRun remote = RemoteRun.of(folder, terminal);
    if (remote != null && !remote.broughtHome()) {
      return remote.status(output.format);
    }
    RunStatus status = Runs.status(folder, terminal.clock());
    RunReport report = new RunReport(status, null, terminal.out());
    switch (output.format) {
      case TABLE -> {
        report.table(terminal.paint());
        new Resumption(folder).hints(status).forEach(terminal.out()::println);
      }
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
