package io.deepvm.cli.chart;

import io.deepvm.base.Quantiles;
import io.deepvm.cli.chart.OutcomeChart.Entry;
import io.deepvm.cli.chart.OutcomeChart.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What came of several policies as tables with a bar a row: 5 % to 95 % of the runs, the middle
 * half, the median and the mean.
 *
 * @param bound what no run can cost less than; null if unknown
 * @param deadlineHours null if there is none
 */
record RangeTables(List<Entry> entries, @Nullable Double bound, @Nullable Double deadlineHours) {

  private static final int WIDTH = 1000;

  /** Adds the tables to a page. */
  void addTo(Page page, String runs) {
    page.text(
        runs
            + ". A bar has 5 % to 95 % of the runs, its thick part the middle half; the black mark"
            + " is the median, the red one the mean.");
    table(page, OutcomeChart.cost(bound), bound == null ? null : "the bound", false);
    table(
        page,
        OutcomeChart.time(deadlineHours),
        deadlineHours == null ? null : "the deadline",
        true);
  }

  private void table(Page page, Figure figure, @Nullable String line, boolean remarks) {
    double most = 0;
    for (Entry entry : entries) {
      Quantiles values = figure.done(entry);
      if (values != null) {
        double high = Math.max(values.at(0.95), values.mean()) / figure.unit();
        most = Math.max(most, figure.most(high));
      }
    }
    most = Math.max(most, 1e-6) * 1.02;
    List<Page.Cell> rows = new ArrayList<>();
    for (Entry entry : entries) {
      Quantiles values = figure.done(entry);
      String text = values == null ? "none done" : figure.describe(values);
      rows.add(
          new Page.Cell(
              entry.policy(),
              values == null ? "" : bar(figure, values, most),
              text + (remarks ? OutcomeChart.missed(entry, deadlineHours != null) : "")));
    }
    Double at = figure.line();
    page.bars(
        figure.label(),
        "0 to %s".formatted(figure.print().apply(most))
            + (line == null || at == null
                ? ""
                : "; upright line: %s, %s".formatted(line, figure.print().apply(at))),
        rows);
  }

  private static String bar(Figure figure, Quantiles values, double most) {
    double scale = WIDTH / most / figure.unit();
    StringBuilder svg =
        new StringBuilder(
            ("<svg class=\"ranges\" viewBox=\"0 0 %d 22\" preserveAspectRatio=\"none\" role=\"img\""
                    + " aria-label=\"%s\"><title>%2$s</title>")
                .formatted(WIDTH, Page.escaped(figure.describe(values))));
    box(svg, "most", values.at(0.05) * scale, values.at(0.95) * scale, 2);
    box(svg, "half", values.at(0.25) * scale, values.at(0.75) * scale, 5);
    box(svg, "median", values.at(0.5) * scale - 1.5, values.at(0.5) * scale + 1.5, 8);
    box(svg, "mean", values.mean() * scale - 1.5, values.mean() * scale + 1.5, 6);
    if (figure.line() != null) {
      double at = figure.line() * WIDTH / most;
      box(svg, "line", at - 1, at + 1, 11);
    }
    return svg.append("</svg>").toString();
  }

  private static void box(StringBuilder svg, String kind, double from, double to, double half) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
            kind,
            from,
            11 - half,
            Math.max(2, to - from),
            2 * half));
  }
}
