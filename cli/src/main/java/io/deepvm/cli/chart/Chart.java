package io.deepvm.cli.chart;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.TextTitle;
import org.jfree.svg.MeetOrSlice;
import org.jfree.svg.PreserveAspectRatio;
import org.jfree.svg.SVGGraphics2D;
import org.jfree.svg.ViewBox;
import org.jspecify.annotations.Nullable;

/** A chart that is laid out and can be written; the same chart gives the same bytes. */
public abstract sealed class Chart
    permits IntervalChart, OutcomeChart, SweepChart, TimelineChart, TrainingChart {

  /** A line of the table below the chart on a page. */
  public record Fact(String label, String value) {}

  static final int WIDTH = 960;

  static {
    System.setProperty("java.awt.headless", "true");
    // Else the words along upright axes would be outlines of letters, which nobody can search.
    TextUtils.setUseDrawRotatedStringWorkaround(false);
  }

  private final String title;
  private final String subtitle;
  private final JFreeChart chart;
  private final int height;

  Chart(String title, String subtitle, Plot plot, int height) {
    this.title = title;
    this.subtitle = subtitle;
    this.height = height;
    chart = new JFreeChart(title, Style.TITLE, plot, true);
    chart.setBackgroundPaint(Color.WHITE);
    chart.getLegend().setFrame(BlockBorder.NONE);
    chart.getLegend().setItemFont(Style.LABEL);
    chart.addSubtitle(new TextTitle(subtitle, Style.LABEL));
  }

  /** Writes it in the format that the file's ending says. */
  public void write(Path file) throws IOException {
    write(file, List.of());
  }

  /** Writes it likewise; a page lists the facts below the chart, a picture has no room for them. */
  public void write(Path file, List<Fact> facts) throws IOException {
    switch (ChartFormat.of(file)) {
      case SVG ->
          Files.writeString(file, svg("deepvm").getSVGDocument() + "\n", StandardCharsets.UTF_8);
      case PNG -> ImageIO.write(png(), "png", file.toFile());
      case HTML -> new Page(title).chart(this).facts(facts).write(file);
    }
  }

  /** Draws it; the prefix makes its ids differ from those of other charts on a page. */
  private SVGGraphics2D svg(String prefix) {
    SVGGraphics2D graphics = new SVGGraphics2D(WIDTH, height);
    // The default prefix is the time.
    graphics.setDefsKeyPrefix(prefix);
    graphics.setGeomDoubleConverter(Chart::toTheHundredth);
    chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
    return graphics;
  }

  /** Returns it at twice the size, for sharp screens. */
  private BufferedImage png() {
    BufferedImage image = new BufferedImage(2 * WIDTH, 2 * height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.scale(2, 2);
    chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
    graphics.dispose();
    return image;
  }

  /** Returns what is along the lower axis. */
  abstract Drawing.Along along();

  /** Returns the panel of nodes; null if it has none. */
  @Nullable Lives lives() {
    return null;
  }

  /** Adds it to a page, whose heading says the title already. */
  void addTo(Page page) {
    page.drawn(subtitle, this::picture, Drawing.of(title, chart.getPlot(), along(), lives()));
  }

  /** Returns the picture for a page whose reader runs no scripts. */
  private String picture(String prefix) {
    chart.getTitle().setVisible(false);
    String picture =
        svg(prefix)
            .getSVGElement(
                null,
                false,
                new ViewBox(0, 0, WIDTH, height),
                PreserveAspectRatio.XMID_YMID,
                MeetOrSlice.MEET);
    chart.getTitle().setVisible(true);
    return picture;
  }

  String title() {
    return title;
  }

  /** Prints a coordinate no finer than eyes see: files are half as long. */
  private static String toTheHundredth(double pixels) {
    double rounded = Math.round(pixels * 100) / 100.0;
    return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
  }
}
