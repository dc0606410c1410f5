package io.deepvm.cli.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.RectangleAnchor;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.xy.XYDataset;
import org.jspecify.annotations.Nullable;

/** How all charts look. */
final class Style {

  static final Font TITLE = new Font("SansSerif", Font.BOLD, 16);
  static final Font LABEL = new Font("SansSerif", Font.PLAIN, 12);
  static final Font SMALL = new Font("SansSerif", Font.PLAIN, 11);

  // Okabe and Ito's palette: distinct also for people who see colours differently.
  static final Color BLUE = new Color(0x0072B2);
  static final Color ORANGE = new Color(0xE69F00);
  static final Color GREEN = new Color(0x009E73);
  static final Color VERMILLION = new Color(0xD55E00);
  static final Color PURPLE = new Color(0xCC79A7);
  static final Color SKY = new Color(0x56B4E9);
  static final Color INK = new Color(0x222222);
  static final Color GREY = new Color(0xBBBBBB);

  /** Behind words, so that they can be read above lines. */
  static final Color VEIL = new Color(255, 255, 255, 200);

  /** A point on a line. */
  static final Shape DOT = new Ellipse2D.Double(-3, -3, 6, 6);

  /** Between two panels of a chart. */
  static final int GAP = 14;

  private static final List<Color> COLOURS =
      List.of(BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, Color.BLACK);

  private static final float[][] DASHES = {null, {8, 4}, {2, 3}, {8, 3, 2, 3}};

  /** The least height of a panel with a legend on a page. */
  static final int LEAST_HEIGHT = 140;

  /** The height of panels that stand beside each other on a page. */
  static final int BESIDE_HEIGHT = 260;

  /** What the style sheet of pages calls a colour; it has others for the night. */
  private static final Map<Color, String> NAMES =
      Map.ofEntries(
          Map.entry(BLUE, "blue"),
          Map.entry(ORANGE, "orange"),
          Map.entry(GREEN, "green"),
          Map.entry(VERMILLION, "vermillion"),
          Map.entry(PURPLE, "purple"),
          Map.entry(SKY, "sky"),
          Map.entry(GREY, "grey"));

  private Style() {}

  /** Returns the name of a colour in the style sheet of pages. */
  static String name(Color colour) {
    return NAMES.getOrDefault(colour, "ink");
  }

  /** The colour of the line of this number. */
  static Color colour(int line) {
    return COLOURS.get(line % COLOURS.size());
  }

  /** The stroke of the line of this number: dashes distinguish lines without colours. */
  static BasicStroke stroke(int line) {
    return new BasicStroke(
        2f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, DASHES[line % DASHES.length], 0f);
  }

  /** Returns a renderer of this many lines. */
  static XYLineAndShapeRenderer lines(int count) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    // one path a line: dashes run on across points, and the file is a tenth
    renderer.setDrawSeriesLineAsPath(true);
    for (int i = 0; i < count; i++) {
      renderer.setSeriesPaint(i, colour(i));
      renderer.setSeriesStroke(i, stroke(i));
    }
    return renderer;
  }

  /** Returns an axis that writes numbers the same everywhere. */
  static NumberAxis axis(String label, boolean fromZero) {
    NumberAxis axis = new NumberAxis(label);
    axis.setStandardTickUnits(NumberAxis.createStandardTickUnits(Locale.ROOT));
    axis.setAutoRangeIncludesZero(fromZero);
    axis.setLabelFont(LABEL);
    return axis;
  }

  /** Returns a panel that leaves the other axis to the chart it becomes part of. */
  static XYPlot panel(XYDataset data, @Nullable ValueAxis values, XYItemRenderer renderer) {
    XYPlot panel = new XYPlot(data, null, values, renderer);
    panel.setBackgroundPaint(Color.WHITE);
    panel.setDomainGridlinePaint(Color.LIGHT_GRAY);
    panel.setRangeGridlinePaint(Color.LIGHT_GRAY);
    return panel;
  }

  /** Returns a line across a panel. */
  static ValueMarker line(double at, Color colour, int dash) {
    return new ValueMarker(at, colour, new BasicStroke(1.5f, 0, 1, 1f, DASHES[dash], 0f));
  }

  /** Writes beside an upright line, on its left or right, at the panel's top or bottom. */
  static ValueMarker labelled(ValueMarker line, String label, boolean left, boolean top) {
    line.setLabel(label);
    line.setLabelFont(SMALL);
    line.setLabelPaint(line.getPaint());
    line.setLabelBackgroundColor(VEIL);
    line.setLabelAnchor(
        left
            ? (top ? RectangleAnchor.TOP_LEFT : RectangleAnchor.BOTTOM_LEFT)
            : (top ? RectangleAnchor.TOP_RIGHT : RectangleAnchor.BOTTOM_RIGHT));
    line.setLabelTextAnchor(
        left
            ? (top ? TextAnchor.TOP_RIGHT : TextAnchor.BOTTOM_RIGHT)
            : (top ? TextAnchor.TOP_LEFT : TextAnchor.BOTTOM_LEFT));
    return line;
  }
}
