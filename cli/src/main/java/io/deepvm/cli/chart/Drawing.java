package io.deepvm.cli.chart;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Stroke;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Collection;
import java.util.List;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.CombinedRangeXYPlot;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.StackedXYAreaRenderer2;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.Layer;
import org.jfree.data.xy.IntervalXYDataset;
import org.jfree.data.xy.XYDataset;
import org.jspecify.annotations.Nullable;

/** The lines of a chart as data, for the script of a page that draws them. */
final class Drawing {

  /** How a page prints and draws what is along the lower axis. */
  enum Along {
    HOURS("time", 3600, "duration"),
    SECONDS("time", 1, "duration"),
    LOG_SECONDS("log", 1, "duration"),
    DOLLARS("number", 1, "dollars"),
    NUMBERS("number", 1, "number");

    private final String kind;
    private final int unit;
    private final String print;

    Along(String kind, int unit, String print) {
      this.kind = kind;
      this.unit = unit;
      this.print = print;
    }
  }

  private static final JsonMapper JSON = new JsonMapper();

  /** More digits cannot be seen; files are half as long. */
  private static final MathContext SEEN = new MathContext(7);

  private Drawing() {}

  /**
   * Returns a chart as data.
   *
   * @param lives the panel that has no lines but nodes; null for none
   */
  static ObjectNode of(String title, Plot plot, Along along, @Nullable Lives lives) {
    ObjectNode json = JSON.createObjectNode();
    json.put("title", title);
    ArrayNode panels = json.putArray("panels");
    if (plot instanceof CombinedDomainXYPlot combined) {
      json.put("beside", false);
      for (XYPlot panel : subplots(combined.getSubplots())) {
        ObjectNode one = panels.addObject();
        along(one, combined.getDomainAxis(), along);
        if (lives != null && panel.getDataset().getSeriesCount() == 0) {
          lives.nodes(one.putArray("nodes"));
        } else {
          panel(one, panel, panel.getRangeAxis(), panel.getWeight());
        }
      }
    } else if (plot instanceof CombinedRangeXYPlot combined) {
      json.put("beside", true);
      for (XYPlot panel : subplots(combined.getSubplots())) {
        ObjectNode one = panels.addObject();
        boolean hours = String.valueOf(panel.getDomainAxis().getLabel()).endsWith("(h)");
        along(one, panel.getDomainAxis(), hours ? Along.NUMBERS : Along.DOLLARS);
        panel(one, panel, combined.getRangeAxis(), Style.BESIDE_HEIGHT);
      }
    } else {
      throw new IllegalArgumentException("There is no rule for " + plot.getClass());
    }
    return json;
  }

  private static List<XYPlot> subplots(List<?> plots) {
    return plots.stream().map(XYPlot.class::cast).toList();
  }

  private static void along(ObjectNode json, ValueAxis axis, Along along) {
    ObjectNode x = json.putObject("x");
    x.put("kind", along.kind).put("unit", along.unit).put("print", along.print);
    x.put("label", axis.getLabel());
    x.put("from", axis.getLowerBound()).put("to", axis.getUpperBound());
  }

  private static void panel(ObjectNode json, XYPlot panel, ValueAxis axis, int height) {
    String label = String.valueOf(axis.getLabel());
    // Panels without a weight share the height evenly.
    int pixels = height == 1 ? Style.BESIDE_HEIGHT : Math.max(Style.LEAST_HEIGHT, height);
    json.put("label", label).put("height", pixels);
    json.put("print", label.contains("$") ? "dollars" : label.contains("%") ? "percent" : "number");
    if (!axis.isAutoRange()) {
      json.put("from", axis.getLowerBound()).put("to", axis.getUpperBound());
    }
    XYItemRenderer renderer = panel.getRenderer();
    json.put("stacked", renderer instanceof StackedXYAreaRenderer2);
    ArrayNode series = json.putArray("series");
    for (int line = 0; line < panel.getDataset().getSeriesCount(); line++) {
      line(series.addObject(), panel.getDataset(), line, renderer);
    }
    marks(json.putArray("marks"), panel.getDomainMarkers(Layer.FOREGROUND));
  }

  private static void line(ObjectNode json, XYDataset data, int line, XYItemRenderer renderer) {
    json.put("label", String.valueOf(data.getSeriesKey(line)));
    json.put("colour", Style.name((Color) renderer.getItemPaint(line, 0)));
    stroke(json, renderer.getItemStroke(line, 0));
    json.put(
        "points",
        renderer instanceof XYLineAndShapeRenderer shapes && shapes.getItemShapeVisible(line, 0));
    ArrayNode at = json.putArray("at");
    ArrayNode values = json.putArray("values");
    boolean spread = renderer instanceof org.jfree.chart.renderer.xy.DeviationRenderer;
    ArrayNode low = spread ? json.putArray("low") : null;
    ArrayNode high = spread ? json.putArray("high") : null;
    for (int i = 0; i < data.getItemCount(line); i++) {
      at.add(seen(data.getXValue(line, i)));
      add(values, data.getYValue(line, i));
      if (low != null && high != null && data instanceof IntervalXYDataset intervals) {
        add(low, intervals.getStartYValue(line, i));
        add(high, intervals.getEndYValue(line, i));
      }
    }
  }

  private static void stroke(ObjectNode json, Stroke stroke) {
    ArrayNode dash = json.putArray("dash");
    if (stroke instanceof BasicStroke basic) {
      json.put("width", basic.getLineWidth());
      if (basic.getDashArray() != null) {
        for (float length : basic.getDashArray()) {
          dash.add(length);
        }
      }
    }
  }

  private static void marks(ArrayNode json, @Nullable Collection<?> markers) {
    if (markers == null) {
      return;
    }
    for (Object each : markers) {
      if (each instanceof ValueMarker marker) {
        ObjectNode mark = json.addObject();
        mark.put("at", marker.getValue()).put("colour", Style.name((Color) marker.getPaint()));
        mark.put("label", marker.getLabel());
        stroke(mark, marker.getStroke());
      }
    }
  }

  private static void add(ArrayNode values, double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      values.addNull();
    } else {
      values.add(seen(value));
    }
  }

  static double seen(double value) {
    return new BigDecimal(value).round(SEEN).doubleValue();
  }
}
