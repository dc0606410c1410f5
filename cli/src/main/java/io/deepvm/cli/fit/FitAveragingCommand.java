package io.deepvm.cli.fit;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.AveragingFitReport;
import io.deepvm.workload.averaging.AveragingFit;
import io.deepvm.workload.averaging.Coefficients;
import io.deepvm.workload.averaging.Observation;
import io.deepvm.workload.averaging.RunFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fits the coefficients of averaging. */
@Command(
    name = "averaging",
    description =
        "Fits the coefficients of averaging to runs, a row for each group of equal peers. Columns:"
            + " run,parameters,tensors,target_batch,place,count,samples_per_second,vcpus,"
            + "measured_samples_per_second.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  deepvm fit averaging examples/averaging-runs.csv --at examples/averaging-others.csv"
    })
@SuppressWarnings("NullAway.Init")
public final class FitAveragingCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "FILE",
      converter = GivenPath.Source.class,
      description = "A CSV file of measured runs, with a header.")
  private Path file;

  @Option(
      names = "--at",
      converter = GivenPath.Source.class,
      paramLabel = "FILE",
      description =
          "Also predict these runs, which are not fitted: a file with the same columns (repeatable).")
  private List<Path> at = new ArrayList<>();

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public FitAveragingCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<Observation> runs = RunFile.read(file);
    List<Observation> others = at.stream().flatMap(each -> RunFile.read(each).stream()).toList();
    AveragingFitReport report =
        new AveragingFitReport(
            AveragingFit.explain(runs, Coefficients.STUDY), runs, others, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }
}
