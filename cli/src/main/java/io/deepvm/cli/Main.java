package io.deepvm.cli;

import io.deepvm.base.BadInput;
import io.deepvm.base.OutOfMemory;
import io.deepvm.cli.catalog.CatalogCommand;
import io.deepvm.cli.catalog.CatalogImportCommand;
import io.deepvm.cli.catalog.CatalogListCommand;
import io.deepvm.cli.catalog.CatalogRefreshCommand;
import io.deepvm.cli.catalog.CatalogShowCommand;
import io.deepvm.cli.catalog.CatalogStatusCommand;
import io.deepvm.cli.checkpoint.CheckpointAgentCommand;
import io.deepvm.cli.checkpoint.CheckpointAnchorCommand;
import io.deepvm.cli.checkpoint.CheckpointCommand;
import io.deepvm.cli.checkpoint.CheckpointGcCommand;
import io.deepvm.cli.checkpoint.CheckpointLsCommand;
import io.deepvm.cli.checkpoint.CheckpointRestoreCommand;
import io.deepvm.cli.checkpoint.CheckpointTokenCommand;
import io.deepvm.cli.checkpoint.CheckpointVerifyCommand;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.fit.FitAveragingCommand;
import io.deepvm.cli.fit.FitCommand;
import io.deepvm.cli.fit.FitContentionCommand;
import io.deepvm.cli.fit.FitLossCommand;
import io.deepvm.cli.fit.FitScalingCommand;
import io.deepvm.cli.market.MarketCommand;
import io.deepvm.cli.market.MarketConvertCommand;
import io.deepvm.cli.market.MarketFitCommand;
import io.deepvm.cli.market.MarketListCommand;
import io.deepvm.cli.market.MarketStatsCommand;
import io.deepvm.cli.options.Values;
import io.deepvm.cli.places.PlacesCheckCommand;
import io.deepvm.cli.places.PlacesCommand;
import io.deepvm.cli.places.PlacesLeftoversCommand;
import io.deepvm.cli.plan.ExportCommand;
import io.deepvm.cli.plan.ModelsCommand;
import io.deepvm.cli.plan.ModelsListCommand;
import io.deepvm.cli.plan.ModelsShowCommand;
import io.deepvm.cli.plan.PlanCommand;
import io.deepvm.cli.plan.PredictCommand;
import io.deepvm.cli.run.DemoCommand;
import io.deepvm.cli.run.LogsCommand;
import io.deepvm.cli.run.ProfileCommand;
import io.deepvm.cli.run.RunCommand;
import io.deepvm.cli.run.StatusCommand;
import io.deepvm.cli.run.StopCommand;
import io.deepvm.cli.simulate.SimulateCommand;
import io.deepvm.cli.studies.CompareCommand;
import io.deepvm.cli.studies.ReproduceCommand;
import io.deepvm.cli.watch.ExploreCommand;
import io.deepvm.cli.watch.WatchCommand;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The deepvm command. */
public final class Main {

  /** How wide help is at the least, by picocli's own rule, and at the most. */
  private static final int LEAST_USAGE = 55;

  private static final int MOST_USAGE = 100;

  private Main() {}

  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT);
    System.setProperty("java.awt.headless", "true");
    PlainLogs.prepare();
    if (isService(args)) {
      OutOfMemory.endsThisProcess();
    }
    Path config = ConfigFile.find(Path.of(""), System.getenv());
    System.exit(run(Terminal.ofProcess(), config, args));
  }

  /** Whether others wait for this process: an anchor, an agent, or the coordinator of a run. */
  static boolean isService(String... args) {
    String first = args.length > 0 ? args[0] : "";
    String second = args.length > 1 ? args[1] : "";
    return first.equals("run")
        || (first.equals("checkpoint") && (second.equals("anchor") || second.equals("agent")));
  }

  /** Runs one command without a config file and returns its exit code. */
  static int run(Terminal terminal, String... args) {
    return run(terminal, null, args);
  }

  /** Runs one command with the defaults of a config file and returns its exit code. */
  static int run(Terminal terminal, @Nullable Path configFile, String[] args) {
    Problems problems = new Problems(terminal);
    try {
      CommandLine all = commandLine(terminal);
      if (configFile != null) {
        ConfigFile config = ConfigFile.apply(configFile, all);
        problems.know(config);
        all.setExecutionStrategy(
            parsed -> {
              config.announce(parsed, terminal);
              return new CommandLine.RunLast().execute(parsed);
            });
      }
      return all.setParameterExceptionHandler(problems)
          .setExecutionExceptionHandler(problems)
          .execute(args);
    } catch (BadInput e) {
      return problems.badInput(e);
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
            .addSubcommand(new CatalogRefreshCommand(terminal))
            .addSubcommand(new CatalogStatusCommand(terminal));
    CommandLine fit =
        new CommandLine(new FitCommand())
            .addSubcommand(new FitScalingCommand(terminal))
            .addSubcommand(new FitContentionCommand(terminal))
            .addSubcommand(new FitLossCommand(terminal))
            .addSubcommand(new FitAveragingCommand(terminal));
    CommandLine models =
        new CommandLine(new ModelsCommand())
            .addSubcommand(new ModelsListCommand(terminal))
            .addSubcommand(new ModelsShowCommand(terminal));
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
            .addSubcommand(new CheckpointGcCommand(terminal))
            .addSubcommand(new CheckpointTokenCommand(terminal));
    CommandLine places =
        new CommandLine(new PlacesCommand())
            .addSubcommand(new PlacesCheckCommand(terminal))
            .addSubcommand(new PlacesLeftoversCommand(terminal));
    CommandLine all =
        new CommandLine(new DeepvmCommand())
            .addSubcommand(new PlanCommand(terminal))
            .addSubcommand(new PredictCommand(terminal))
            .addSubcommand(new CompareCommand(terminal))
            .addSubcommand(new SimulateCommand(terminal))
            .addSubcommand(catalog)
            .addSubcommand(models)
            .addSubcommand(fit)
            .addSubcommand(market)
            .addSubcommand(checkpoint)
            .addSubcommand(places)
            .addSubcommand(new ExportCommand(terminal))
            .addSubcommand(new RunCommand(terminal))
            .addSubcommand(new StatusCommand(terminal))
            .addSubcommand(new LogsCommand(terminal))
            .addSubcommand(new StopCommand(terminal))
            .addSubcommand(new WatchCommand(terminal))
            .addSubcommand(new ExploreCommand(terminal, Main::run))
            .addSubcommand(new ProfileCommand(terminal))
            .addSubcommand(new DemoCommand(terminal, Main::run))
            .addSubcommand(new ReproduceCommand(terminal))
            .addSubcommand(new HelpCommand(terminal))
            .addSubcommand(new CompletionCommand(terminal));
    Values.register(all);
    FormerNames.register(all);
    return all.setOut(terminal.out())
        .setErr(terminal.err())
        .setUsageHelpWidth(Math.max(LEAST_USAGE, Math.min(MOST_USAGE, terminal.columns())))
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(terminal.colour() ? Ansi.ON : Ansi.OFF));
  }
}
