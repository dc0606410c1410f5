package io.deepvm.cli.plan;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
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
public final class ModelsListCommand implements Callable<Integer> {

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public ModelsListCommand(Terminal terminal) {
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
