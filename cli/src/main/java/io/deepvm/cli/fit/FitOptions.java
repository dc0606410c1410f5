package io.deepvm.cli.fit;

import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.FitReport;
import io.deepvm.workload.fit.FittedCurve;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every fit is given: a file of measurements, and inputs to predict at. */
@SuppressWarnings("NullAway.Init")
final class FitOptions {

  @Parameters(
      paramLabel = "FILE",
      converter = GivenPath.Source.class,
      description = "A CSV file of measurements, with a header.")
  Path file;

  @Option(
      names = "--at",
      paramLabel = "INPUTS",
      description = "Also predict there: one number per input, apart by commas (repeatable).")
  private List<String> at = new ArrayList<>();

  @Mixin private OutputOption output;

  /** Prints the curve, what to write into a job file, and the predictions. */
  int print(Terminal terminal, FittedCurve curve, String jobKey) {
    List<double[]> inputs = at.stream().map(text -> inputs(text, curve)).toList();
    FitReport report = new FitReport(curve, jobKey, inputs, terminal.out());
    switch (output.format) {
      case TABLE -> report.table(terminal.paint());
      case JSON -> report.json();
      case CSV -> report.csv();
    }
    return Exit.DONE;
  }

  private static double[] inputs(String text, FittedCurve curve) {
    String[] parts = text.split(",", -1);
    int wanted = curve.ranges().size();
    double[] numbers = new double[parts.length];
    boolean valid = parts.length == wanted;
    for (int i = 0; valid && i < wanted; i++) {
      try {
        numbers[i] = Double.parseDouble(parts[i].strip());
        // a count of none can be asked about only where it was measured
        valid =
            Double.isFinite(numbers[i])
                && numbers[i] >= 0
                && (numbers[i] > 0 || curve.ranges().get(i).low() == 0);
      } catch (NumberFormatException e) {
        valid = false;
      }
    }
    if (!valid) {
      throw new BadInput(
          "--at '%s' is not one number above 0 for each of %s."
              .formatted(text, curve.ranges().stream().map(r -> r.input()).toList()),
          "Maybe write it like %s.".formatted(wanted == 1 ? "32" : "5000,1024,0.5,8"));
    }
    return numbers;
  }
}
