package io.deepvm.cli;

import io.deepvm.cli.console.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root, which only leads to its sub-commands. */
@Command(
    name = "deepvm",
    description =
        "Plans, simulates and runs deep-learning training on spot and on-demand VMs for little money.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Example:",
      "  deepvm plan --max-price-per-hour 3",
      "",
      "Exit codes: 0 done, 1 failure inside, 2 bad input, 3 nothing fits, 130 interrupted."
    })
@SuppressWarnings("NullAway.Init")
final class DeepvmCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }
}
