package io.deepvm.cli.fit;

import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.Values;
import io.deepvm.workload.fit.MeasurementFile;
import io.deepvm.workload.fit.ScalingFit;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Fits DeepVM's scaling curve. */
@Command(
    name = "scaling",
    description = "Fits the speed-up by number of nodes. Columns: nodes,speedup.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    footer = {"", "Example:", "  deepvm fit scaling examples/speedups.csv --at 64"})
@SuppressWarnings("NullAway.Init")
public final class FitScalingCommand implements Callable<Integer> {

  @Mixin private FitOptions options;

  private final Terminal terminal;

  public FitScalingCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<ScalingFit.Point> points =
        MeasurementFile.read(options.file, List.of("nodes", "speedup")).stream()
            .map(row -> new ScalingFit.Point(Values.whole("nodes", row[0]), row[1]))
            .toList();
    return options.print(terminal, ScalingFit.of(points).fit(), "scaling.measured.TYPE");
  }
}
