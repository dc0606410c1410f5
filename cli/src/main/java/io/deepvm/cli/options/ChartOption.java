package io.deepvm.cli.options;

import io.deepvm.base.AtomicFile;
import io.deepvm.cli.chart.ChartFormat;
import io.deepvm.cli.chart.SweepChart;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.print.Metric;
import io.deepvm.studies.BudgetSweep;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where to draw a chart, if at all. */
public final class ChartOption {

  @Option(
      names = "--chart",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "Also draw performance by budget into this .svg, .png or .html file.")
  private @Nullable Path file;

  /** Refuses a file that says no known format, before anything is computed. */
  public void check() {
    if (file != null) {
      ChartFormat.of(file);
    }
  }

  public boolean isAsked() {
    return file != null;
  }

  public void draw(BudgetSweep sweep, String title, List<Metric> metrics, Terminal terminal) {
    Path target = file;
    if (target == null) {
      return;
    }
    AtomicFile.write(target, new SweepChart(sweep, title, metrics)::write);
    terminal.err().println("Chart written to " + target);
  }
}
