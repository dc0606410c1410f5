package io.deepvm.cli.chart;

import io.deepvm.cli.print.Figures;
import io.deepvm.cli.print.Metric;
import io.deepvm.studies.BudgetSweep;
import io.deepvm.studies.BudgetSweep.Choice;
import io.deepvm.studies.BudgetSweep.Row;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.title.TextTitle;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.jfree.svg.SVGGraphics2D;

/** Performance by budget: one panel per metric, one line per policy. */
public final class SweepChart {

  private static final int WIDTH = 960;
  private static final int PANEL_HEIGHT = 320;
  private static final int FRAME_HEIGHT = 120;
  private static final double TERA = 1e12;

  // Okabe and Ito's palette: told apart by people who see colours differently.
  private static final List<Color> COLOURS =
      List.of(
          new Color(0x0072B2),
          new Color(0xE69F00),
          new Color(0x009E73),
          new Color(0xD55E00),
          new Color(0xCC79A7),
          new Color(0x56B4E9),
          new Color(0x000000));

  private static final float[][] DASHES = {null, {8, 4}, {2, 3}, {8, 3, 2, 3}};

  private final JFreeChart chart;
  private final int height;

  /** Lays the chart out. */
  public SweepChart(BudgetSweep sweep, String title, List<Metric> metrics) {
    System.setProperty("java.awt.headless", "true");
    NumberAxis budgets = new NumberAxis("Budget (US$ per hour)");
    budgets.setAutoRangeIncludesZero(false);
    CombinedDomainXYPlot panels = new CombinedDomainXYPlot(budgets);
    panels.setGap(14);
    for (Metric metric : metrics) {
      panels.add(panel(sweep, metric));
    }
    // Each panel would repeat the same legend entries.
    panels.setFixedLegendItems(panels.getSubplots().get(0).getLegendItems());
    chart = new JFreeChart(title, new Font("SansSerif", Font.BOLD, 16), panels, true);
    chart.setBackgroundPaint(Color.WHITE);
    chart.getLegend().setFrame(BlockBorder.NONE);
    chart.addSubtitle(
        new TextTitle(
            "Higher is better; a line begins where the policy first finds a cluster",
            new Font("SansSerif", Font.PLAIN, 12)));
    height = FRAME_HEIGHT + PANEL_HEIGHT * metrics.size();
  }

  /** Writes it as SVG: the same chart gives the same bytes. */
  public void writeSvg(Path file) throws IOException {
    SVGGraphics2D graphics = new SVGGraphics2D(WIDTH, height);
    // The default prefix of its ids is the time.
    graphics.setDefsKeyPrefix("deepvm");
    chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
    Files.writeString(file, graphics.getSVGDocument() + "\n", StandardCharsets.UTF_8);
  }

  /** Writes it as PNG, at twice the size for sharp screens. */
  public void writePng(Path file) throws IOException {
    BufferedImage image = new BufferedImage(2 * WIDTH, 2 * height, BufferedImage.TYPE_INT_RGB);
    var graphics = image.createGraphics();
    graphics.scale(2, 2);
    chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
    graphics.dispose();
    ImageIO.write(image, "png", file.toFile());
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
    NumberAxis values =
        new NumberAxis(metric.title() + (stated ? " (catalog's unit)" : " (TFLOPS)"));
    values.setAutoRangeIncludesZero(true);
    values.setLabelFont(new Font("SansSerif", Font.PLAIN, 12));
    XYPlot panel = new XYPlot(lines, null, values, renderer(lines.getSeriesCount()));
    panel.setBackgroundPaint(Color.WHITE);
    panel.setDomainGridlinePaint(Color.LIGHT_GRAY);
    panel.setRangeGridlinePaint(Color.LIGHT_GRAY);
    return panel;
  }

  private static XYLineAndShapeRenderer renderer(int lines) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    // one path a line: dashes run on across points, and the file is a tenth
    renderer.setDrawSeriesLineAsPath(true);
    for (int i = 0; i < lines; i++) {
      renderer.setSeriesPaint(i, COLOURS.get(i % COLOURS.size()));
      renderer.setSeriesStroke(
          i,
          new BasicStroke(
              2f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, DASHES[i % DASHES.length], 0f));
    }
    return renderer;
  }

  private static boolean isStated(Row row) {
    Choice choice = row.choice();
    return choice != null && Figures.isStated(choice.plan());
  }
}
