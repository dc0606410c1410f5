package io.deepvm.cli.run;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Ends a run from outside. */
@Command(
    name = "stop",
    description = {
      "Ends a run for good, with all its processes, whether or not 'deepvm run' still lives.",
      "A run that shall go on later is interrupted by Ctrl-C instead."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm stop deepvm-run"})
@SuppressWarnings("NullAway.Init")
public final class StopCommand implements Callable<Integer> {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Parameters(paramLabel = "FOLDER", description = "The run's folder.")
  private Path folder;

  private final Terminal terminal;

  public StopCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    RunStatus status = Runs.stop(folder, "stopped by 'deepvm stop'", PATIENCE);
    terminal.out().println(RunReport.line(status) + ".");
    terminal.out().println("The run is over for good: --resume cannot go on with it.");
    return Exit.DONE;
  }
}
