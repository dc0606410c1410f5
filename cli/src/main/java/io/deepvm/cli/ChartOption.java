package io.deepvm.cli;

import io.deepvm.cli.chart.SweepChart;
import io.deepvm.cli.print.Metric;
import io.deepvm.studies.BudgetSweep;
import io.deepvm.units.BadInput;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where to draw a chart, if at all. */
final class ChartOption {

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Also draw performance by budget into this .svg or .png file.")
  private @Nullable Path file;

  /** Refuses a file that says no known format, before anything is computed. */
  void check() {
    if (file != null && !isSvg(file) && !name(file).endsWith(".png")) {
      throw new BadInput(
          "The chart '%s' ends neither in .svg nor in .png.".formatted(file),
          "Maybe name it %s.svg.".formatted(file));
    }
  }

  boolean isAsked() {
    return file != null;
  }

  void draw(BudgetSweep sweep, String title, List<Metric> metrics, Terminal terminal) {
    Path target = file;
    if (target == null) {
      return;
    }
    SweepChart chart = new SweepChart(sweep, title, metrics);
    AtomicFile.write(target, isSvg(target) ? chart::writeSvg : chart::writePng);
    terminal.err().println("Chart written to " + target);
  }

  private static boolean isSvg(Path file) {
    return name(file).endsWith(".svg");
  }

  private static String name(Path file) {
    return file.toString().toLowerCase(Locale.ROOT);
  }
}
