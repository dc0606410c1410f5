package io.deepvm.cli;

import io.deepvm.cli.print.ModelReport;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the model presets. */
@Command(
    name = "list",
    description = "Lists the models that 'deepvm plan --model' knows.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm models list"})
@SuppressWarnings("NullAway.Init")
final class ModelsListCommand implements Callable<Integer> {

  @Mixin private OutputOption output;

  private final Terminal terminal;

  ModelsListCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    ModelReport report = new ModelReport(terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
