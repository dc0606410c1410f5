package io.deepvm.cli.plan;

import io.deepvm.cli.console.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Well-known models; leads to its sub-commands. */
@Command(
    name = "models",
    description = "Shows well-known models, and how fast they were measured to train.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Example:", "  deepvm models show resnet50 > resnet50.yaml"})
@SuppressWarnings("NullAway.Init")
public final class ModelsCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which of list and show of the models?");
  }
}
