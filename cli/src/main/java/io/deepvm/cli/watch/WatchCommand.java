package io.deepvm.cli.watch;

import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.coordinator.RemoteRun;
import io.deepvm.cluster.Runs;
import io.deepvm.page.watch.WatchSite;
import io.deepvm.places.PlaceOfRun;
import io.deepvm.places.Places;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Serves the live page of the runs of a folder. */
@Command(
    name = "watch",
    description = {
      "Shows runs live in the browser: money, nodes, loss, generations, checkpoints and logs.",
      "Prints the address of the page, for this user of this machine alone."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm watch deepvm-run"})
@SuppressWarnings("NullAway.Init")
public final class WatchCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..1",
      paramLabel = "FOLDER",
      description = "A run's folder, or a folder of runs (default: the current one).")
  private Path folder = Path.of("");

  private final Terminal terminal;

  public WatchCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new BadInput(
          "There is no folder %s.".formatted(folder), "Maybe name the folder of a run.");
    }
    RemoteRun remote = RemoteRun.of(folder, terminal);
    if (remote != null && !remote.broughtHome()) {
      remote.watch();
      return Exit.DONE;
    }
    try (OpenPage page = open(folder, terminal)) {
      page.serve(terminal);
    }
    return Exit.DONE;
  }

  /** Serves the page of the runs of a folder until it is closed. */
  public static OpenPage open(Path folder, Terminal terminal) throws IOException {
    Path whole = folder.toAbsolutePath().normalize();
    return OpenPage.open(
        "watch " + whole, new WatchSite(whole, terminal.clock(), run -> stop(run, terminal)));
  }

  /** Serves the page of a run of this process, and says where. */
  public static OpenPage announce(Path folder, Terminal terminal) throws IOException {
    OpenPage page = open(folder, terminal);
    terminal.err().println("Watch the run at " + page.address());
    terminal.err().flush();
    return page;
  }

  /** Stops a run; the page shows a failure, and so does the terminal. */
  private static void stop(Path run, Terminal terminal) throws IOException, InterruptedException {
    try {
      PlaceOfRun place = Places.of(run);
      Runs.stop(run, "stopped on its page", place.patience());
      String problem = place.settle(run, place.patience());
      if (!problem.isEmpty()) {
        throw new IOException(problem);
      }
    } catch (IOException | BadInput e) {
      terminal.err().println(e.getMessage());
      terminal.err().flush();
      throw e;
    }
  }
}
