package io.deepvm.cli.chart;

import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.Timeline.Life;
import io.deepvm.simulator.Timeline.Progress;
import io.deepvm.simulator.Timeline.Spent;
import java.awt.BasicStroke;
import java.awt.Color;
import java.util.List;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/**
 * One run over time: its nodes' lives, its progress if that is known, the spot prices, and the
 * dollars spent.
 */
public final class TimelineChart extends Chart {

  private static final double HOUR = 3600;
  private static final int FRAME_HEIGHT = 170;
  private static final int PROGRESS_HEIGHT = 130;
  private static final int PRICE_HEIGHT = 110;
  private static final int SPENT_HEIGHT = 90;

  /** A deadline further off than this many times the run would leave the run too little room. */
  private static final double FAR = 2;

  private static final double MARGIN = 1.02;

  private final Lives lives;

  /**
   * Lays the chart out.
   *
   * @param firstTick the market's tick with which the run began
   */
  public TimelineChart(
      Timeline timeline, SpotMarket market, int firstTick, Scenario scenario, String title) {
    this(
        new Lives(timeline, market, scenario, seconds(timeline, scenario)),
        timeline,
        market,
        firstTick,
        scenario,
        title);
  }

  private TimelineChart(
      Lives lives,
      Timeline timeline,
      SpotMarket market,
      int firstTick,
      Scenario scenario,
      String title) {
    super(
        title,
        lives.summary(),
        panels(lives, timeline, market, firstTick, scenario),
        FRAME_HEIGHT
            + lives.height()
            + (timeline.progress().isEmpty() ? 0 : PROGRESS_HEIGHT + Style.GAP)
            + PRICE_HEIGHT
            + SPENT_HEIGHT
            + 2 * Style.GAP);
    this.lives = lives;
  }

  private static CombinedDomainXYPlot panels(
      Lives lives, Timeline timeline, SpotMarket market, int firstTick, Scenario scenario) {
    double deadline = scenario.deadlineSeconds();
    double seconds = seconds(timeline, scenario);
    NumberAxis hours = Style.axis("Hours since the start", true);
    hours.setRange(0, seconds / HOUR);
    CombinedDomainXYPlot panels = new CombinedDomainXYPlot(hours);
    panels.setGap(Style.GAP);
    XYPlot progress = progress(lives.course(), scenario.work());
    panels.add(lives.panel(), lives.height());
    if (!timeline.progress().isEmpty()) {
      panels.add(progress, PROGRESS_HEIGHT);
    }
    panels.add(prices(lives, market, firstTick, end(timeline)), PRICE_HEIGHT);
    panels.add(spent(timeline), SPENT_HEIGHT);
    if (deadline < seconds) {
      for (XYPlot panel : panels.getSubplots()) {
        panel.addDomainMarker(Style.line(deadline / HOUR, Style.VERMILLION, 1));
      }
      progress.addDomainMarker(
          Style.labelled(
              Style.line(deadline / HOUR, Style.VERMILLION, 1), "deadline", true, false));
    }
    LegendItemCollection legend = lives.legend();
    if (!timeline.progress().isEmpty()) {
      legend.addAll(progress.getLegendItems());
    }
    panels.setFixedLegendItems(legend);
    return panels;
  }

  /** Returns how much time the chart shows: the run, and the deadline unless it is far off. */
  private static double seconds(Timeline timeline, Scenario scenario) {
    double end = Math.max(1, end(timeline));
    double deadline = scenario.deadlineSeconds();
    return MARGIN * (deadline <= FAR * end ? Math.max(end, deadline) : end);
  }

  private static double end(Timeline timeline) {
    List<Progress> progress = timeline.progress();
    return progress.isEmpty()
        ? timeline.lives().stream().mapToDouble(Life::to).max().orElse(0)
        : progress.get(progress.size() - 1).at();
  }

  private static XYPlot progress(Course course, double work) {
    XYSeries done = new XYSeries("work done", false);
    XYSeries safe = new XYSeries("of it safe", false);
    double before = 0;
    for (Progress point : course.points()) {
      done.add(point.at() / HOUR, 100 * point.done() / work);
      if (point.safe() != before) {
        safe.add(point.at() / HOUR, 100 * before / work);
        before = point.safe();
      }
      safe.add(point.at() / HOUR, 100 * before / work);
    }
    XYSeriesCollection lines = new XYSeriesCollection(done);
    lines.addSeries(safe);
    NumberAxis percent = Style.axis("Work (%)", true);
    percent.setRange(0, 104);
    XYLineAndShapeRenderer renderer = Style.lines(2);
    renderer.setSeriesPaint(0, Style.GREEN);
    renderer.setSeriesPaint(1, Color.BLACK);
    renderer.setSeriesStroke(1, new BasicStroke(1.2f));
    return Style.panel(lines, percent, renderer);
  }

  private static XYPlot prices(Lives lives, SpotMarket market, int firstTick, double end) {
    XYSeriesCollection lines = new XYSeriesCollection();
    for (Rows rows : lives.rows()) {
      XYSeries line = new XYSeries(market.pools().get(rows.pool()).toString(), false);
      double before = Double.NaN;
      double at = 0;
      for (int t = firstTick; t < market.ticks() && at < end; t++) {
        double price = market.spotUsdPerHour(rows.pool(), t);
        if (price != before) {
          if (t > firstTick) {
            line.add(at / HOUR, before);
          }
          line.add(at / HOUR, price);
          before = price;
        }
        at += market.tickSeconds();
      }
      line.add(Math.min(at, end) / HOUR, before);
      lines.addSeries(line);
    }
    NumberAxis dollars = Style.axis("Spot $/h", true);
    return Style.panel(lines, dollars, Style.lines(lines.getSeriesCount()));
  }

  private static XYPlot spent(Timeline timeline) {
    XYSeries line = new XYSeries("spent", false);
    for (Spent spent : timeline.spent()) {
      line.add(spent.at() / HOUR, spent.usd());
    }
    return Style.panel(new XYSeriesCollection(line), Style.axis("Spent ($)", true), Style.lines(1));
  }

  @Override
  Drawing.Along along() {
    return Drawing.Along.HOURS;
  }

  @Override
  Lives lives() {
    return lives;
  }
}
