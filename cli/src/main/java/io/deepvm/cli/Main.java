package io.deepvm.cli;

import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The deepvm command. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT);
    System.setProperty("java.awt.headless", "true");
    System.exit(run(Terminal.ofProcess(), args));
  }

  /** Runs one command and returns its exit code. */
  static int run(Terminal terminal, String... args) {
    Problems problems = new Problems(terminal);
    try {
      return commandLine(terminal)
          .setParameterExceptionHandler(problems)
          .setExecutionExceptionHandler(problems)
          .execute(args);
    } catch (OutOfMemoryError | StackOverflowError | LinkageError e) {
      return problems.failedInside(e);
    } finally {
      terminal.out().flush();
      terminal.err().flush();
    }
  }

  /** Returns all commands, ready to parse. */
  static CommandLine commandLine(Terminal terminal) {
    CommandLine catalog =
        new CommandLine(new CatalogCommand())
            .addSubcommand(new CatalogListCommand(terminal))
            .addSubcommand(new CatalogShowCommand(terminal))
            .addSubcommand(new CatalogImportCommand(terminal))
            .addSubcommand(new CatalogStatusCommand(terminal));
    CommandLine fit =
        new CommandLine(new FitCommand())
            .addSubcommand(new FitScalingCommand(terminal))
            .addSubcommand(new FitContentionCommand(terminal))
            .addSubcommand(new FitLossCommand(terminal))
            .addSubcommand(new FitAveragingCommand(terminal));
    CommandLine market =
        new CommandLine(new MarketCommand())
            .addSubcommand(new MarketListCommand(terminal))
            .addSubcommand(new MarketStatsCommand(terminal))
            .addSubcommand(new MarketConvertCommand(terminal))
            .addSubcommand(new MarketFitCommand(terminal));
    CommandLine checkpoint =
        new CommandLine(new CheckpointCommand())
            .addSubcommand(new CheckpointAgentCommand(terminal))
            .addSubcommand(new CheckpointAnchorCommand(terminal))
            .addSubcommand(new CheckpointLsCommand(terminal))
            .addSubcommand(new CheckpointVerifyCommand(terminal))
            .addSubcommand(new CheckpointRestoreCommand(terminal))
            .addSubcommand(new CheckpointGcCommand(terminal));
    CommandLine all =
        new CommandLine(new DeepvmCommand())
            .addSubcommand(new PlanCommand(terminal))
            .addSubcommand(new PredictCommand(terminal))
            .addSubcommand(new CompareCommand(terminal))
            .addSubcommand(new SimulateCommand(terminal))
            .addSubcommand(catalog)
            .addSubcommand(fit)
            .addSubcommand(market)
            .addSubcommand(checkpoint)
            .addSubcommand(new RunCommand(terminal))
            .addSubcommand(new StatusCommand(terminal))
            .addSubcommand(new StopCommand(terminal))
            .addSubcommand(new ProfileCommand(terminal))
            .addSubcommand(new DemoCommand(terminal))
            .addSubcommand(new ReproduceCommand(terminal));
    Values.register(all);
    FormerNames.register(all);
    return all.setOut(terminal.out())
        .setErr(terminal.err())
        .setUsageHelpWidth(100)
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(terminal.colour() ? Ansi.ON : Ansi.OFF));
  }
}
