package io.deepvm.cli.chart;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.base.Quantiles;
import io.deepvm.cli.print.Figures;
import io.deepvm.simulator.RunStatistics;
import io.deepvm.simulator.Sample;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.text.NumberFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.annotations.XYTextAnnotation;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.plot.CombinedRangeXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.jspecify.annotations.Nullable;

/**
 * The spread of cost and time over many runs: of one policy as the share of all runs that are done
 * for less, of several policies as a bar each. Bars and means are of the runs that were done.
 */
public final class OutcomeChart extends Chart {

  private static final double HOUR = 3600;
  private static final int FRAME_HEIGHT = 150;
  private static final int CURVE_HEIGHT = 300;
  private static final int ROW_HEIGHT = 46;

  /** Steps of a curve; more could not be seen. */
  private static final int STEPS = 400;

  private final List<Entry> entries;
  private final @Nullable Double bound;
  private final @Nullable Double deadlineHours;

  /** What came of a policy. */
  public record Entry(String policy, Sample sample) {}

  /**
   * What a panel shows.
   *
   * @param unit of the axis, in that of the sample
   * @param line a value that is marked, in the axis' unit
   */
  record Figure(
      String label,
      Function<RunStatistics, Quantiles> of,
      double unit,
      DoubleFunction<String> print,
      @Nullable Double line) {

    /** Returns the mean and, where they differ, what 5 % and 95 % of the runs stay below. */
    String describe(Quantiles values) {
      String mean = print.apply(values.mean() / unit);
      String low = print.apply(values.at(0.05) / unit);
      String high = print.apply(values.at(0.95) / unit);
      return low.equals(high) ? mean : "%s (%s to %s)".formatted(mean, low, high);
    }

    /** Returns the values of the runs that were done; null when none was. */
    @Nullable Quantiles done(Entry entry) {
      RunStatistics done = entry.sample().done();
      return done == null ? null : of.apply(done);
    }

    double least(double value) {
      return line == null ? value : Math.min(line, value);
    }

    double most(double value) {
      return line == null ? value : Math.max(line, value);
    }
  }

  /**
   * Lays the chart out.
   *
   * @param entries at least one
   * @param boundUsd what no run can cost less than, if known
   * @param deadlineSeconds infinite when there is no deadline
   */
  public OutcomeChart(
      List<Entry> entries, @Nullable Double boundUsd, double deadlineSeconds, String title) {
    super(
        title,
        subtitle(entries),
        panels(entries, boundUsd, deadlineSeconds),
        FRAME_HEIGHT + (entries.size() == 1 ? CURVE_HEIGHT : ROW_HEIGHT * entries.size()));
    this.entries = List.copyOf(entries);
    this.bound = boundUsd != null && Double.isInfinite(boundUsd) ? null : boundUsd;
    this.deadlineHours = Double.isInfinite(deadlineSeconds) ? null : deadlineSeconds / HOUR;
  }

  private static String subtitle(List<Entry> entries) {
    Sample first = entries.get(0).sample();
    String runs = first.runs() == 1 ? "1 run" : Figures.count(first.runs()) + " runs";
    if (entries.size() > 1) {
      boolean all = entries.stream().allMatch(e -> e.sample().unfinished() == 0);
      return runs
          + " of each policy; above each bar the mean and, in parentheses, 5 % to 95 %"
          + (all ? "" : " of the runs done within " + horizon(first));
    }
    RunStatistics done = first.done();
    String name = entries.get(0).policy();
    if (done == null) {
      return "%s of %s, none done within %s".formatted(runs, name, horizon(first));
    }
    return "%s of %s, on average %s and %s%s"
        .formatted(
            runs,
            name,
            dollars(done.cost().mean()),
            hours(done.seconds().mean() / HOUR),
            first.unfinished() == 0
                ? ""
                : "; not done within %s: %s"
                    .formatted(horizon(first), Numbers.percent(first.unfinishedShare())));
  }

  /** Returns which runs of each policy the figures are of. */
  private static String ofEach(List<Entry> entries) {
    Sample first = entries.get(0).sample();
    String runs = first.runs() == 1 ? "1 run" : Figures.count(first.runs()) + " runs";
    boolean all = entries.stream().allMatch(e -> e.sample().unfinished() == 0);
    return runs
        + " of each policy"
        + (all ? "" : ", of which those count that were done within " + horizon(first));
  }

  private static String horizon(Sample sample) {
    return Durations.print(Durations.ofSeconds(sample.horizonSeconds()));
  }

  static String dollars(double amount) {
    return String.format(Locale.ROOT, amount < 100 ? "$%,.2f" : "$%,.0f", amount);
  }

  static String hours(double hours) {
    return Numbers.print(hours) + " h";
  }

  static Figure cost(@Nullable Double bound) {
    return new Figure("Cost of a run ($)", RunStatistics::cost, 1, OutcomeChart::dollars, bound);
  }

  static Figure time(@Nullable Double deadlineHours) {
    return new Figure("Time (h)", RunStatistics::seconds, HOUR, OutcomeChart::hours, deadlineHours);
  }

  private static CombinedRangeXYPlot panels(
      List<Entry> entries, @Nullable Double boundUsd, double deadlineSeconds) {
    Double bound = boundUsd != null && Double.isInfinite(boundUsd) ? null : boundUsd;
    Double deadline = Double.isInfinite(deadlineSeconds) ? null : deadlineSeconds / HOUR;
    Figure cost = cost(bound);
    Figure time = time(deadline);
    boolean alone = entries.size() == 1;
    XYPlot left = alone ? curve(cost, entries.get(0)) : bars(cost, entries, e -> "");
    XYPlot right =
        alone ? curve(time, entries.get(0)) : bars(time, entries, e -> missed(e, deadline != null));
    if (bound != null) {
      left.addDomainMarker(Style.labelled(Style.line(bound, Style.INK, 2), "bound", false, false));
    }
    if (deadline != null) {
      right.addDomainMarker(
          Style.labelled(Style.line(deadline, Style.VERMILLION, 1), "deadline", true, false));
    }
    CombinedRangeXYPlot panels = new CombinedRangeXYPlot(alone ? shares() : names(entries));
    panels.setGap(2 * Style.GAP);
    panels.add(left);
    panels.add(right);
    panels.setFixedLegendItems(alone ? new LegendItemCollection() : left.getLegendItems());
    return panels;
  }

  /** Draws the share of all runs that were done for less; runs not done never are. */
  private static XYPlot curve(Figure figure, Entry entry) {
    Quantiles values = figure.done(entry);
    XYSeries curve = new XYSeries("runs", false);
    if (values == null) {
      return panel(figure, new XYSeriesCollection(curve), Style.lines(1), 0, figure.most(1));
    }
    int steps = Math.min(STEPS, values.count());
    double most = 100.0 * values.count() / entry.sample().runs();
    for (int k = 0; k < steps; k++) {
      double value = values.at((k + 0.5) / steps) / figure.unit();
      curve.add(value, most * k / steps);
      curve.add(value, most * (k + 1) / steps);
    }
    double low = figure.least(curve.getMinX());
    double high = figure.most(curve.getMaxX());
    double margin = Math.max(0.05 * (high - low), Math.max(0.01 * high, 1e-6));
    XYPlot panel =
        panel(figure, new XYSeriesCollection(curve), Style.lines(1), low - margin, high + margin);
    double mean = values.mean() / figure.unit();
    panel.addDomainMarker(Style.labelled(Style.line(mean, Style.BLUE, 3), "mean", true, true));
    return panel;
  }

  /** Draws a bar for each policy, and writes its figures above it. */
  private static XYPlot bars(Figure figure, List<Entry> entries, Function<Entry, String> remark) {
    XYSeries most = new XYSeries("9 of 10 runs", false);
    XYSeries half = new XYSeries("the middle half", false);
    XYSeries median = new XYSeries("median", false);
    XYSeries mean = new XYSeries("mean", false);
    for (int row = 0; row < entries.size(); row++) {
      Quantiles values = figure.done(entries.get(row));
      if (values != null) {
        bar(most, values.at(0.05) / figure.unit(), values.at(0.95) / figure.unit(), row);
        bar(half, values.at(0.25) / figure.unit(), values.at(0.75) / figure.unit(), row);
        median.add(values.at(0.5) / figure.unit(), row);
        mean.add(values.mean() / figure.unit(), row);
      }
    }
    XYSeriesCollection data = new XYSeriesCollection();
    List.of(most, half, median, mean).forEach(data::addSeries);
    double longest = mean.isEmpty() ? 1 : Math.max(most.getMaxX(), mean.getMaxX());
    double high = 1.04 * figure.most(longest);
    XYPlot panel = panel(figure, data, marks(), 0, Math.max(high, 1e-6));
    for (int row = 0; row < entries.size(); row++) {
      Entry entry = entries.get(row);
      Quantiles values = figure.done(entry);
      double low = values == null ? 0 : values.at(0.05) / figure.unit();
      double up = values == null ? 0 : values.at(0.95) / figure.unit();
      boolean right = low > high / 2;
      String label = values == null ? "none done" : figure.describe(values);
      XYTextAnnotation text =
          new XYTextAnnotation(label + remark.apply(entry), right ? up : low, row - 0.18);
      text.setTextAnchor(right ? TextAnchor.BOTTOM_RIGHT : TextAnchor.BOTTOM_LEFT);
      text.setFont(Style.SMALL);
      text.setPaint(Style.INK);
      text.setBackgroundPaint(Style.VEIL);
      panel.addAnnotation(text);
    }
    return panel;
  }

  private static void bar(XYSeries series, double from, double to, int row) {
    series.add(from, row);
    series.add(to, row);
    // The next row's bar does not go on from here.
    series.add(to, Double.NaN);
  }

  private static XYLineAndShapeRenderer marks() {
    XYLineAndShapeRenderer renderer = Style.lines(2);
    renderer.setSeriesPaint(0, Style.BLUE);
    renderer.setSeriesStroke(0, new BasicStroke(2f));
    renderer.setSeriesPaint(1, Style.SKY);
    renderer.setSeriesStroke(1, new BasicStroke(9f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND));
    renderer.setSeriesPaint(2, Color.BLACK);
    renderer.setSeriesShape(2, new Rectangle2D.Double(-1, -7, 2, 14));
    renderer.setSeriesPaint(3, Style.VERMILLION);
    renderer.setSeriesShape(3, Style.DOT);
    for (int marks = 2; marks <= 3; marks++) {
      renderer.setSeriesLinesVisible(marks, false);
      renderer.setSeriesShapesVisible(marks, true);
    }
    return renderer;
  }

  private static XYPlot panel(
      Figure figure,
      XYSeriesCollection data,
      XYLineAndShapeRenderer renderer,
      double from,
      double to) {
    XYPlot panel = Style.panel(data, null, renderer);
    NumberAxis axis = Style.axis(figure.label(), false);
    axis.setRange(from, to);
    panel.setDomainAxis(axis);
    return panel;
  }

  static String missed(Entry entry, boolean deadline) {
    double late = entry.sample().missed();
    double notDone = entry.sample().unfinishedShare();
    return (deadline && late > 0 ? ", " + Numbers.percent(late) + " late" : "")
        + (notDone > 0 ? ", " + Numbers.percent(notDone) + " not done" : "");
  }

  private static NumberAxis shares() {
    NumberAxis axis = Style.axis("Share of runs (%)", true);
    axis.setRange(0, 102);
    axis.setTickUnit(new NumberTickUnit(20, NumberFormat.getInstance(Locale.ROOT)));
    return axis;
  }

  private static NumberAxis names(List<Entry> entries) {
    SymbolAxis axis =
        new SymbolAxis("", entries.stream().map(Entry::policy).toArray(String[]::new));
    axis.setInverted(true);
    axis.setRange(-0.6, entries.size() - 0.4);
    axis.setGridBandsVisible(false);
    axis.setTickLabelFont(Style.LABEL);
    return axis;
  }

  @Override
  Drawing.Along along() {
    return Drawing.Along.NUMBERS;
  }

  @Override
  void addTo(Page page) {
    if (entries.size() == 1) {
      super.addTo(page);
    } else {
      new RangeTables(entries, bound, deadlineHours).addTo(page, ofEach(entries));
    }
  }
}
