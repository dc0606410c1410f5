package io.deepvm.cli.watch;

import io.deepvm.catalog.Catalogs;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.page.explore.ExploreSite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves the planner as a page. */
@Command(
    name = "explore",
    description = {
      "Shows the planner as a page in the browser: budget, deadline, GPU, place, market and more"
          + " as",
      "controls. Each view names the command that gives the same answer."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Examples:", "  deepvm explore", "  deepvm explore --job examples/resnet50.yaml"})
@SuppressWarnings("NullAway.Init")
public final class ExploreCommand implements Callable<Integer> {

  /** Runs a command and returns its exit code. */
  @FunctionalInterface
  public interface Commands {
    /** Runs the words as a command line would. */
    int run(Terminal terminal, String... words);
  }

  @Option(
      names = "--job",
      paramLabel = "FILE",
      description = "What is trained, as YAML; the page offers it beside the built-in models.")
  private @Nullable Path job;

  @Option(
      names = "--catalog",
      paramLabel = "NAME|PATH",
      description = "The catalog that the page begins with (default: ${DEFAULT-VALUE}).")
  private String catalog = Catalogs.DEFAULT;

  private final Terminal terminal;
  private final Commands commands;

  public ExploreCommand(Terminal terminal, Commands commands) {
    this.terminal = terminal;
    this.commands = commands;
  }

  @Override
  public Integer call() throws IOException {
    PlannerSource source = new PlannerSource(commands, terminal.clock(), catalog, job);
    // What is wrong is said here rather than on the page.
    source.choices();
    try (OpenPage page = OpenPage.open("explore", new ExploreSite(source))) {
      Thread warming = new Thread(() -> source.run(List.of("plan", "--max-price-per-hour=3")));
      warming.setDaemon(true);
      warming.start();
      page.serve(terminal);
    }
    return Exit.DONE;
  }
}
