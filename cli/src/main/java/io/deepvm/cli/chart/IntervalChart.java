package io.deepvm.cli.chart;

import io.deepvm.base.Durations;
import io.deepvm.base.Quantiles;
import io.deepvm.cli.print.Figures;
import io.deepvm.simulator.IntervalCurve;
import io.deepvm.simulator.IntervalCurve.Point;
import io.deepvm.simulator.RunStatistics;
import io.deepvm.simulator.Sample;
import java.awt.Color;
import java.util.List;
import java.util.function.Function;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.DeviationRenderer;
import org.jfree.data.Range;
import org.jfree.data.xy.YIntervalSeries;
import org.jfree.data.xy.YIntervalSeriesCollection;
import org.jspecify.annotations.Nullable;

/** The effect of the time between checkpoints on cost and time of the runs that were done. */
public final class IntervalChart extends Chart {

  private static final double HOUR = 3600;
  private static final int FRAME_HEIGHT = 130;
  private static final int COST_HEIGHT = 300;
  private static final int TIME_HEIGHT = 150;

  /** A value with the ends of its 95 % confidence interval. */
  private record Estimate(double value, double low, double high) {

    static @Nullable Estimate mean(@Nullable Quantiles values, double unit) {
      if (values == null) {
        return null;
      }
      double mean = values.mean();
      // A single run says nothing about the spread.
      double margin = values.count() < 2 ? 0 : values.meanMargin();
      return new Estimate(mean / unit, (mean - margin) / unit, (mean + margin) / unit);
    }

    static @Nullable Estimate of(@Nullable Quantiles values, double share) {
      return values == null
          ? null
          : new Estimate(values.at(share), values.low(share), values.high(share));
    }

    static Estimate missed(Point point) {
      double[] interval = point.sample().missedInterval();
      return new Estimate(100 * point.sample().missed(), 100 * interval[0], 100 * interval[1]);
    }
  }

  /**
   * Lays the chart out.
   *
   * @param youngDaly the interval in seconds that Young's and Daly's rule gives, to be compared
   */
  public IntervalChart(IntervalCurve curve, @Nullable Double youngDaly, String title) {
    super(
        title,
        subtitle(curve),
        panels(curve, youngDaly),
        FRAME_HEIGHT
            + COST_HEIGHT
            + Style.GAP
            + TIME_HEIGHT
            + (late(curve) ? 1 : 0) * (Style.GAP + TIME_HEIGHT));
  }

  private static String subtitle(IntervalCurve curve) {
    Sample first = curve.points().get(0).sample();
    String runs =
        first.runs() == 1
            ? "1 run at each interval"
            : Figures.count(first.runs())
                + " runs at each interval; bands are 95 % confidence intervals";
    boolean all = curve.points().stream().allMatch(p -> p.sample().unfinished() == 0);
    return all
        ? runs
        : runs
            + "; cost and time of the runs done within "
            + Durations.print(Durations.ofSeconds(first.horizonSeconds()));
  }

  private static CombinedDomainXYPlot panels(IntervalCurve curve, @Nullable Double youngDaly) {
    List<Point> points = curve.points();
    DurationAxis axis = new DurationAxis("Training between two checkpoints");
    double shortest = points.get(0).seconds();
    double longest = points.get(points.size() - 1).seconds();
    axis.setRange(
        Math.min(shortest, youngDaly == null ? shortest : youngDaly) / 1.2,
        Math.max(longest, youngDaly == null ? longest : youngDaly) * 1.2);
    CombinedDomainXYPlot panels = new CombinedDomainXYPlot(axis);
    panels.setGap(Style.GAP);
    YIntervalSeriesCollection costs = new YIntervalSeriesCollection();
    costs.addSeries(series("mean", points, p -> Estimate.mean(costs(p), 1)));
    costs.addSeries(series("95 % of runs cost less", points, p -> Estimate.of(costs(p), 0.95)));
    XYPlot cost = panel("Cost of a run ($)", costs);
    panels.add(cost, COST_HEIGHT);
    panels.add(
        panel("Mean time (h)", alone(series("time", points, p -> Estimate.mean(times(p), HOUR)))),
        TIME_HEIGHT);
    if (late(curve)) {
      panels.add(
          panel("Late or unfinished (%)", alone(series("late", points, Estimate::missed))),
          TIME_HEIGHT);
    }
    double best = curve.best().seconds();
    boolean bestIsLess = youngDaly != null && best <= youngDaly;
    mark(panels, best, "best", Style.INK, bestIsLess, true);
    if (youngDaly != null) {
      mark(panels, youngDaly, "Young/Daly", Style.VERMILLION, !bestIsLess, false);
    }
    panels.setFixedLegendItems(cost.getLegendItems());
    return panels;
  }

  private static @Nullable Quantiles costs(Point point) {
    RunStatistics done = point.sample().done();
    return done == null ? null : done.cost();
  }

  private static @Nullable Quantiles times(Point point) {
    RunStatistics done = point.sample().done();
    return done == null ? null : done.seconds();
  }

  private static boolean late(IntervalCurve curve) {
    return curve.points().stream().anyMatch(p -> p.sample().missed() > 0);
  }

  /** Returns the figure at each interval, without the intervals at which no run was done. */
  private static YIntervalSeries series(
      String name, List<Point> points, Function<Point, @Nullable Estimate> figure) {
    YIntervalSeries series = new YIntervalSeries(name);
    for (Point point : points) {
      Estimate estimate = figure.apply(point);
      if (estimate != null) {
        series.add(point.seconds(), estimate.value(), estimate.low(), estimate.high());
      }
    }
    return series;
  }

  private static YIntervalSeriesCollection alone(YIntervalSeries series) {
    YIntervalSeriesCollection collection = new YIntervalSeriesCollection();
    collection.addSeries(series);
    return collection;
  }

  private static XYPlot panel(String label, YIntervalSeriesCollection data) {
    DeviationRenderer renderer = new DeviationRenderer(true, true);
    renderer.setAlpha(0.2f);
    for (int i = 0; i < data.getSeriesCount(); i++) {
      renderer.setSeriesPaint(i, Style.colour(i));
      renderer.setSeriesFillPaint(i, Style.colour(i));
      renderer.setSeriesStroke(i, Style.stroke(i));
      renderer.setSeriesShape(i, Style.DOT);
    }
    return Style.panel(data, Style.axis(label, true), renderer);
  }

  /** Marks an interval in all panels, and says in the first which it is. */
  private static void mark(
      CombinedDomainXYPlot panels,
      double seconds,
      String name,
      Color colour,
      boolean left,
      boolean top) {
    int dash = top ? 1 : 2;
    for (XYPlot panel : panels.getSubplots()) {
      panel.addDomainMarker(Style.line(seconds, colour, dash));
    }
    String label = name + ": " + Durations.print(Durations.ofSeconds(seconds));
    // Near an edge there is room on one side only.
    Range range = panels.getDomainAxis().getRange();
    double along =
        Math.log(seconds / range.getLowerBound())
            / Math.log(range.getUpperBound() / range.getLowerBound());
    boolean before = along > 0.8 || (left && along > 0.2);
    panels
        .getSubplots()
        .get(0)
        .addDomainMarker(Style.labelled(Style.line(seconds, colour, dash), label, before, top));
  }

  @Override
  Drawing.Along along() {
    return Drawing.Along.LOG_SECONDS;
  }
}
