package io.deepvm.cli;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.Shell;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script that lets a shell complete commands and options. */
@Command(
    name = "completion",
    description = "Prints a script that lets the shell complete commands, options and values.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Example:",
      "  deepvm completion bash",
      "",
      "To use it, add to ~/.bashrc or ~/.zshrc: source <(deepvm completion bash)",
      "(with zsh: completion zsh)."
    })
@SuppressWarnings("NullAway.Init")
final class CompletionCommand implements Callable<Integer> {

  @Parameters(paramLabel = "bash|zsh", description = "The shell.")
  private Shell shell;

  @Spec private CommandSpec spec;

  private final Terminal terminal;

  CompletionCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    terminal.out().println("# Completion of deepvm for %s.".formatted(shell));
    terminal.out().print(AutoComplete.bash("deepvm", spec.root().commandLine()));
    return Exit.DONE;
  }
}
