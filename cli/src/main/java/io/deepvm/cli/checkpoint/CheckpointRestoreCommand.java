package io.deepvm.cli.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.CheckpointReport;
import io.deepvm.cli.print.CheckpointReport.Row;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Restores a checkpoint. */
@Command(
    name = "restore",
    description = "Writes the newest sound checkpoint of a name as one safetensors file.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {
      "",
      "Example:",
      "  deepvm checkpoint restore --store checkpoints --name training --out model.safetensors"
    })
@SuppressWarnings("NullAway.Init")
public final class CheckpointRestoreCommand implements Callable<Integer> {

  @Mixin private StoreOptions store;

  @Option(
      names = "--out",
      converter = GivenPath.Target.class,
      required = true,
      paramLabel = "FILE",
      description = "The file to write; it must not exist.")
  private Path out;

  @Option(
      names = "--step",
      paramLabel = "N",
      description = "The newest checkpoint of this step (default: the newest of all).")
  private @Nullable Long step;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CheckpointRestoreCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (Files.exists(out)) {
      throw new FileAlreadyExistsException(out.toString());
    }
    try (StoreOptions.Store from = store.open()) {
      Checkpoints checkpoints = new Checkpoints(List.of(from.tier()), 2);
      List<Checkpoints.Listed> wanted = new ArrayList<>();
      if (from.jobs().size() > 1) {
        throw new BadInput(
            "There are checkpoints of several names: %s.".formatted(String.join(", ", from.jobs())),
            "Maybe choose one with --name.");
      }
      for (String job : from.jobs()) {
        Checkpoints.Listing listing = checkpoints.list(job);
        listing.problems().forEach(terminal.err()::println);
        for (Checkpoints.Listed listed : listing.checkpoints()) {
          if (step == null || step == listed.version().step()) {
            wanted.add(listed);
          }
        }
      }
      for (Checkpoints.Listed listed : wanted) {
        try {
          checkpoints.export(listed.version(), out);
          print(List.of(Row.of(listed.version(), Files.size(out), "written to " + out)));
          return Exit.DONE;
        } catch (IOException e) {
          terminal.err().println(e.getMessage());
        }
      }
    }
    throw new BadInput(
        "No such checkpoint can be restored.",
        "Maybe see 'deepvm checkpoint ls' for what is there.");
  }

  private void print(List<Row> rows) {
    CheckpointReport report = new CheckpointReport("restore", rows, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
  }
}
