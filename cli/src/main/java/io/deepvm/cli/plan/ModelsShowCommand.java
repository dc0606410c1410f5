package io.deepvm.cli.plan;

import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.catalog.speed.MeasuredSpeeds;
import io.deepvm.catalog.speed.ModelNames;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.ModelReport;
import io.deepvm.workload.speed.ModelPreset;
import io.deepvm.workload.speed.ModelPresets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one model preset. */
@Command(
    name = "show",
    description = {
      "Prints a model as a job file, to be edited and given to --job.",
      "With --output csv: its measured speeds, in the format that 'predict --measurements' reads."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm models show resnet50 > resnet50.yaml"})
@SuppressWarnings("NullAway.Init")
public final class ModelsShowCommand implements Callable<Integer> {

  @Parameters(paramLabel = "NAME", description = "The name of a model.")
  private String name;

  @Mixin private OutputOption output;

  private final Terminal terminal;

  public ModelsShowCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    ModelPreset preset = ModelPresets.named(name);
    String spelling = ModelNames.spelling(preset.shape().name());
    List<MeasuredSpeed> rows =
        MeasuredSpeeds.builtIn().stream()
            .filter(row -> ModelNames.spelling(row.model()).equals(spelling))
            .toList();
    ModelReport report = new ModelReport(terminal.out());
    switch (output.format) {
      case TABLE -> terminal.out().print(preset.jobFile());
      case JSON -> report.json(preset, rows);
      case CSV -> report.csv(rows);
    }
    return Exit.DONE;
  }
}
