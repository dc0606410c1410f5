package io.deepvm.cli.chart;

import io.deepvm.cli.print.Figures;
import io.deepvm.cli.print.Metric;
import io.deepvm.studies.BudgetSweep;
import io.deepvm.studies.BudgetSweep.Choice;
import io.deepvm.studies.BudgetSweep.Row;
import java.util.List;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/** Performance by budget: one panel per metric, one line per policy. */
public final class SweepChart extends Chart {

  private static final int PANEL_HEIGHT = 320;
  private static final int FRAME_HEIGHT = 120;
  private static final double TERA = 1e12;

  /** Lays the chart out. */
  public SweepChart(BudgetSweep sweep, String title, List<Metric> metrics) {
    super(
        title,
        "Higher is better; a line begins where the policy first finds a cluster",
        panels(sweep, metrics),
        FRAME_HEIGHT + PANEL_HEIGHT * metrics.size());
  }

  private static CombinedDomainXYPlot panels(BudgetSweep sweep, List<Metric> metrics) {
    CombinedDomainXYPlot panels =
        new CombinedDomainXYPlot(Style.axis("Budget (US$ per hour)", false));
    panels.setGap(Style.GAP);
    for (Metric metric : metrics) {
      panels.add(panel(sweep, metric));
    }
    // Each panel would repeat the same legend entries.
    panels.setFixedLegendItems(panels.getSubplots().get(0).getLegendItems());
    return panels;
  }

  private static XYPlot panel(BudgetSweep sweep, Metric metric) {
    XYSeriesCollection lines = new XYSeriesCollection();
    boolean stated = sweep.rows().stream().anyMatch(SweepChart::isStated);
    double unit = stated ? 1 : TERA;
    for (String policy : sweep.rows().stream().map(Row::policy).distinct().toList()) {
      XYSeries line = new XYSeries(policy);
      for (Row row : sweep.rows()) {
        Choice choice = row.choice();
        if (row.policy().equals(policy) && choice != null) {
          line.add(row.budgetPerHour().dollars(), metric.of(choice.performance()) / unit);
        }
      }
      lines.addSeries(line);
    }
    String label = metric.title() + (stated ? " (catalog's unit)" : " (TFLOPS)");
    return Style.panel(lines, Style.axis(label, true), Style.lines(lines.getSeriesCount()));
  }

  private static boolean isStated(Row row) {
    Choice choice = row.choice();
    return choice != null && Figures.isStated(choice.plan());
  }

  @Override
  Drawing.Along along() {
    return Drawing.Along.DOLLARS;
  }
}
