package io.deepvm.cli.market;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.BuiltInTraces;
import io.deepvm.market.Markets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the built-in traces. */
@Command(
    name = "list",
    description = "Lists the built-in traces with source and licence.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    footer = {"", "Example:", "  deepvm market list"})
@SuppressWarnings("NullAway.Init")
public final class MarketListCommand implements Callable<Integer> {

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public MarketListCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    BuiltInTraces list =
        new BuiltInTraces(Markets.builtIn().stream().map(Markets::load).toList(), terminal.out());
    switch (output.format) {
      case TABLE -> list.table(terminal.paint());
      case JSON -> list.json();
      case CSV -> list.csv();
    }
    return Exit.DONE;
  }
}
