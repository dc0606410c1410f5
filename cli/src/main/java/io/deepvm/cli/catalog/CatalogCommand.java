package io.deepvm.cli.catalog;

import io.deepvm.cli.console.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What can be rented; leads to its sub-commands. */
@Command(
    name = "catalog",
    description = "Shows and imports what can be rented.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:", "  deepvm catalog list --gpu A100 --place 'aws/*' --market spot"})
@SuppressWarnings("NullAway.Init")
public final class CatalogCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Which of list, show, import, refresh and status of the catalog?");
  }
}
