package io.deepvm.cli.market;

import io.deepvm.cli.console.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How prices and capacity moved; leads to its sub-commands. */
@Command(
    name = "market",
    description = "Describes, converts and models traces of spot capacity and prices.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:", "  deepvm market stats gcp-h100-2025-10"})
@SuppressWarnings("NullAway.Init")
public final class MarketCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Which of list, stats, convert and fit of the market?");
  }
}
