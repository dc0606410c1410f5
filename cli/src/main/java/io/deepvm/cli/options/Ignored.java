package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Options that say nothing beside the others: who gives one expects something of it. */
public final class Ignored {

  private Ignored() {}

  /** Refuses those that were given; the circumstance is for the message, "without --compat". */
  public static void refuse(CommandSpec command, String circumstance, List<String> options) {
    for (String option : options) {
      if (command.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new BadInput(
            "%s means nothing %s.".formatted(option, circumstance),
            "Maybe leave %s out.".formatted(option));
      }
    }
  }
}
