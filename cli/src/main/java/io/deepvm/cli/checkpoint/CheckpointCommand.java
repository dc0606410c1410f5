package io.deepvm.cli.checkpoint;

import io.deepvm.cli.console.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What has been saved; leads to its sub-commands. */
@Command(
    name = "checkpoint",
    description =
        "Runs an agent or an anchor for checkpoints; lists, checks, restores and cleans them up.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:", "  deepvm checkpoint ls --store checkpoints"})
@SuppressWarnings("NullAway.Init")
public final class CheckpointCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Which of agent, anchor, ls, verify, restore and gc of the checkpoints?");
  }
}
