package io.deepvm.cli.run;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.coordinator.RemoteRun;
import io.deepvm.cli.print.RunReport;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.PlaceOfRun;
import io.deepvm.places.Places;
import io.deepvm.places.ledger.Bill;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Ends a run from outside. */
@Command(
    name = "stop",
    description = {
      "Ends a run for good, with all its processes, whether or not 'deepvm run' still lives.",
      "A run that shall go on later is interrupted by Ctrl-C instead. For a run that is over, the",
      "ends of machines are repeated that their place has not confirmed."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm stop deepvm-run",
      "",
      "Exit code 1: a machine of the run may still exist."
    })
@SuppressWarnings("NullAway.Init")
public final class StopCommand implements Callable<Integer> {

  @Parameters(paramLabel = "FOLDER", description = "The run's folder.")
  private Path folder;

  private final Terminal terminal;
  private final @Nullable Duration patience;

  public StopCommand(Terminal terminal) {
    this(terminal, null);
  }

  /** Waits this long, or as long as the place may take if null. */
  StopCommand(Terminal terminal, @Nullable Duration patience) {
    this.terminal = terminal;
    this.patience = patience;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    RemoteRun remote = RemoteRun.of(folder, terminal);
    if (remote != null) {
      return remote.stop();
    }
    PlaceOfRun place = Places.of(folder);
    Duration longest = patience == null ? place.patience() : patience;
    RunStatus status = Runs.stop(folder, "stopped by 'deepvm stop'", longest);
    if (status.state().isEnd()) {
      new HostsRunner(terminal, folder).takeKeyBack();
    }
    terminal.out().println(RunReport.line(status) + ".");
    String problem = place.settle(folder, longest);
    Bill bill = place.bill(folder);
    List<String> open = bill == null ? Runs.unconfirmed(folder) : List.of();
    if (bill != null) {
      print(bill, problem);
    }
    if (!status.state().isEnd()) {
      terminal.err().println(stillOpen(status, open, longest));
      return Exit.FAILED_INSIDE;
    }
    if (bill != null && !bill.open().isEmpty()) {
      terminal.err().println("Something of the run may still exist. Repeat this command later.");
      return Exit.FAILED_INSIDE;
    }
    terminal.out().println("The run is over for good: --resume cannot go on with it.");
    if (!open.isEmpty()) {
      terminal.err().println(unconfirmed(open));
      return Exit.FAILED_INSIDE;
    }
    return bill == null || bill.isSettled() ? Exit.DONE : Exit.FAILED_INSIDE;
  }

  private void print(Bill bill, String problem) {
    BillLines.of(bill, folder).forEach(terminal.err()::println);
    if (!bill.open().isEmpty() && !problem.isEmpty()) {
      terminal.err().println("The last answer: %s".formatted(problem));
    }
  }

  private static String stillOpen(RunStatus status, List<String> open, Duration longest) {
    return "The run is not over after %d s: it is %s, and %s.%nMaybe ask again; if that does not help, its coordinator hangs: end that process first."
        .formatted(
            longest.toSeconds(),
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
