package io.deepvm.cli.places;

import io.deepvm.cli.console.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Machines that runs use; leads to its sub-commands. */
@Command(
    name = "places",
    description = "Checks the machines that runs use, and finds what a run left there.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:", "  deepvm places check ssh:hosts.yaml"})
@SuppressWarnings("NullAway.Init")
public final class PlacesCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which of check and leftovers?");
  }
}
