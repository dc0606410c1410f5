package io.deepvm.cli;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the help of a command. */
@Command(
    name = "help",
    description = "Shows the help of a command, as COMMAND --help does.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {"", "Examples:", "  deepvm help plan", "  deepvm help catalog list"})
@SuppressWarnings("NullAway.Init")
final class HelpCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "A command, and a command of it (default: all commands).")
  private List<String> names = new ArrayList<>();

  @Spec private CommandSpec spec;

  private final Terminal terminal;

  HelpCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    CommandLine command = spec.root().commandLine();
    for (String name : names) {
      CommandLine next = command.getSubcommands().get(name);
      if (next == null) {
        String parent = command.getCommandSpec().qualifiedName();
        throw new BadInput(
            "'%s' has no command '%s'.".formatted(parent, name),
            Suggestion.maybe(
                name,
                command.getSubcommands().keySet(),
                "Maybe see '%s --help'.".formatted(parent)));
      }
      command = next;
    }
    command.usage(terminal.out(), spec.root().commandLine().getColorScheme());
    return Exit.DONE;
  }
}
