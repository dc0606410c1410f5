package io.deepvm.cli.fit;

import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.Values;
import io.deepvm.workload.fit.LossFit;
import io.deepvm.workload.fit.MeasurementFile;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Fits the loss by iterations. */
@Command(
    name = "loss",
    description =
        "Fits the training loss by iterations, batch and workers. Columns:"
            + " iterations,batch,convergence,workers,loss (convergence is 0 where unknown).",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    footer = {"", "Example:", "  deepvm fit loss examples/losses.csv --at 4000,8,1,1"})
@SuppressWarnings("NullAway.Init")
public final class FitLossCommand implements Callable<Integer> {

  @Mixin private FitOptions options;

  @Option(
      names = "--convergence",
      description = "Fit spotDNN's convergence coefficient too (three or more clusters).")
  private boolean convergence;

  private final Terminal terminal;

  public FitLossCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<LossFit.Point> points =
        MeasurementFile.read(
                options.file, List.of("iterations", "batch", "convergence", "workers", "loss"))
            .stream()
            .map(
                row ->
                    new LossFit.Point(
                        row[0], row[1], row[2], Values.whole("workers", row[3]), row[4]))
            .toList();
    LossFit fit =
        convergence ? LossFit.withCoefficient(points) : LossFit.withoutCoefficient(points);
    return options.print(terminal, fit.fit(), "parameterServer.loss");
  }
}
