package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.coordinator.RemoteRun;
import io.deepvm.cluster.RunFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints what a run has printed. */
@Command(
    name = "logs",
    description = {
      "Prints what a run has printed: its console, if its coordinator works without a terminal,",
      "else the output of each node's processes. While nodes are on hosts, their files are there."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm logs deepvm-run"})
@SuppressWarnings("NullAway.Init")
public final class LogsCommand implements Callable<Integer> {

  private static final String CONSOLE = "console.log";

  @Parameters(paramLabel = "FOLDER", description = "The run's folder.")
  private Path folder;

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description = "Print all files of this node instead.")
  private @Nullable String node;

  private final Terminal terminal;

  public LogsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    RemoteRun remote = RemoteRun.of(folder, terminal);
    if (remote != null && !remote.broughtHome()) {
      String name = remote.seat().name();
      return node == null ? remote.relay("logs", name) : remote.relay("logs", name, "--node", node);
    }
    Path nodes = RunFolder.of(folder).path().resolve("nodes");
    Path console = folder.resolve(CONSOLE);
    if (node != null) {
      List<String> known = names(nodes);
      if (!known.contains(node)) {
        throw new BadInput(
            "The run has no files of a node '%s' here.".formatted(node),
            Suggestion.maybe(node, known, "Maybe it is still on its host."));
      }
      print(nodes.resolve(node), "", "");
    } else if (Files.exists(console)) {
      print(console, "");
    } else {
      for (String each : names(nodes)) {
        print(nodes.resolve(each), "out", each + ": ");
      }
    }
    terminal.out().flush();
    return Exit.DONE;
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  /** Prints the files of a node whose names begin so. */
  private void print(Path home, String begin, String before) throws IOException {
    for (String file : names(home)) {
      if (file.startsWith(begin) && file.endsWith(".log")) {
        String name = file.substring(0, file.length() - ".log".length());
        print(home.resolve(file), before.isEmpty() ? name + ": " : before);
      }
    }
  }

  private void print(Path file, String before) throws IOException {
    if (!Files.isRegularFile(file)) {
      return;
    }
    // What scripts print need not be UTF-8.
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        terminal.out().println(before + line);
      }
    }
  }
}
