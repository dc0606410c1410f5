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
import java.util.List;
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
  private final Duration patience;

  public StopCommand(Terminal terminal) {
    this(terminal, PATIENCE);
  }

  StopCommand(Terminal terminal, Duration patience) {
    this.terminal = terminal;
    this.patience = patience;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    RunStatus status = Runs.stop(folder, "stopped by 'deepvm stop'", patience);
    terminal.out().println(RunReport.line(status) + ".");
    List<String> open = Runs.unconfirmed(folder);
    if (!status.state().isEnd()) {
      terminal.err().println(stillOpen(status, open));
      return Exit.FAILED_INSIDE;
    }
    terminal.out().println("The run is over for good: --resume cannot go on with it.");
    if (!open.isEmpty()) {
      terminal.err().println(unconfirmed(open));
      return Exit.FAILED_INSIDE;
    }
    return Exit.DONE;
  }

  private String stillOpen(RunStatus status, List<String> open) {
    return "The run is not over after %d s: it is %s, and %s.%nMaybe ask again; if that does not help, its coordinator hangs: end that process first."
        .formatted(
            patience.toSeconds(),
            status.state(),
            open.isEmpty()
                ? "all machines have ended"
                : "the end of these machines is not confirmed: " + String.join(", ", open));
  }

  private static String unconfirmed(List<String> open) {
    return "The end of these machines was not confirmed: %s.%nMaybe look at the place itself, since they may still be paid for."
        .formatted(String.join(", ", open));
  }
}
