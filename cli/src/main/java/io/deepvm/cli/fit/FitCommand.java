package io.deepvm.cli.fit;

import io.deepvm.cli.console.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Curves from measurements; leads to its sub-commands. */
@Command(
    name = "fit",
    description = "Fits a job's curves and coefficients to measurements, with their errors.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:", "  deepvm fit scaling examples/speedups.csv --at 64"})
@SuppressWarnings("NullAway.Init")
public final class FitCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Which of scaling, contention, loss and averaging should be fitted?");
  }
}
