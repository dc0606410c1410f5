package io.deepvm.cli.chart;

import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.StackedXYAreaRenderer2;
import org.jfree.data.xy.DefaultTableXYDataset;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/**
 * What a real run did step by step: its loss, how many trained, and where each step's time went. Of
 * a run that reports no steps it shows how many trained.
 */
public final class TrainingChart extends Chart {

  private static final int FRAME_HEIGHT = 130;
  private static final int LOSS_HEIGHT = 240;
  private static final int MEMBERS_HEIGHT = 90;
  private static final int PARTS_HEIGHT = 170;

  /** When no step was reported for longer, nobody trained: the areas fall to nothing between. */
  private static final double SILENCE = 2;

  private static final double MOMENT = 0.01;

  /**
   * One committed step.
   *
   * @param at real seconds since the run's start
   * @param computeSeconds of the process that reported, as are the other parts
   */
  public record Step(
      double at,
      double loss,
      double computeSeconds,
      double communicationSeconds,
      double waitSeconds,
      double checkpointSeconds) {}

  /** How many members the generation has that began at a moment. */
  public record Members(double at, int count) {}

  /**
   * Lays the chart out.
   *
   * @param losses when members were lost
   */
  public TrainingChart(
      List<Step> steps, List<Members> members, List<Double> losses, double end, String title) {
    super(
        title,
        "Upright lines: nodes lost",
        panels(steps, members, losses, end),
        FRAME_HEIGHT
            + MEMBERS_HEIGHT
            + (steps.isEmpty() ? 0 : LOSS_HEIGHT + PARTS_HEIGHT + 2 * Style.GAP));
  }

  private static CombinedDomainXYPlot panels(
      List<Step> steps, List<Members> members, List<Double> losses, double end) {
    NumberAxis seconds = Style.axis("Seconds since the start", true);
    seconds.setRange(0, Math.max(1, end));
    CombinedDomainXYPlot panels = new CombinedDomainXYPlot(seconds);
    panels.setGap(Style.GAP);
    if (steps.isEmpty()) {
      panels.add(members(members, end), MEMBERS_HEIGHT);
      panels.setFixedLegendItems(new LegendItemCollection());
    } else {
      panels.add(loss(steps), LOSS_HEIGHT);
      panels.add(members(members, end), MEMBERS_HEIGHT);
      XYPlot parts = parts(steps);
      panels.add(parts, PARTS_HEIGHT);
      panels.setFixedLegendItems(parts.getLegendItems());
    }
    for (XYPlot panel : panels.getSubplots()) {
      losses.forEach(at -> panel.addDomainMarker(Style.line(at, Style.VERMILLION, 2)));
    }
    return panels;
  }

  private static XYPlot loss(List<Step> steps) {
    XYSeries line = new XYSeries("loss", false);
    steps.forEach(step -> line.add(step.at(), step.loss()));
    return Style.panel(new XYSeriesCollection(line), Style.axis("Loss", true), Style.lines(1));
  }

  private static XYPlot members(List<Members> members, double end) {
    XYSeries line = new XYSeries("members", false);
    int before = 0;
    for (Members change : members) {
      line.add(change.at(), before);
      line.add(change.at(), change.count());
      before = change.count();
    }
    line.add(end, before);
    NumberAxis count = Style.axis("Members", true);
    count.setStandardTickUnits(NumberAxis.createIntegerTickUnits());
    return Style.panel(new XYSeriesCollection(line), count, Style.lines(1));
  }

  private static XYPlot parts(List<Step> steps) {
    DefaultTableXYDataset parts = new DefaultTableXYDataset();
    parts.addSeries(part("compute", steps, Step::computeSeconds));
    parts.addSeries(part("communication", steps, Step::communicationSeconds));
    parts.addSeries(part("wait", steps, Step::waitSeconds));
    parts.addSeries(part("checkpoint stall", steps, Step::checkpointSeconds));
    StackedXYAreaRenderer2 areas = new StackedXYAreaRenderer2();
    areas.setSeriesPaint(0, Style.GREEN);
    areas.setSeriesPaint(1, Style.BLUE);
    areas.setSeriesPaint(2, Style.GREY);
    areas.setSeriesPaint(3, Style.ORANGE);
    return Style.panel(parts, Style.axis("A step (ms)", true), areas);
  }

  private static XYSeries part(String name, List<Step> steps, ToDoubleFunction<Step> seconds) {
    XYSeries series = new XYSeries(name, false, false);
    double last = -1;
    for (Step step : steps) {
      // the table wants each moment once
      if (step.at() <= last) {
        continue;
      }
      if (last >= 0 && step.at() - last > SILENCE) {
        series.add(last + MOMENT, 0);
        series.add(step.at() - MOMENT, 0);
      }
      series.add(step.at(), 1000 * seconds.applyAsDouble(step));
      last = step.at();
    }
    return series;
  }

  @Override
  Drawing.Along along() {
    return Drawing.Along.SECONDS;
  }
}
