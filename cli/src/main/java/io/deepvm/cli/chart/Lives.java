package io.deepvm.cli.chart;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.catalog.Market;
import io.deepvm.market.SpotMarket;
import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Scenario;
import io.deepvm.simulator.Timeline;
import io.deepvm.simulator.Timeline.Life;
import io.deepvm.simulator.Timeline.Phase;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.annotations.AbstractXYAnnotation;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.PlotRenderingInfo;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.data.xy.XYSeriesCollection;

/** The panel of nodes' lives: bars by what a node did, pool by pool, below the pool's name. */
final class Lives {

  private static final double HOUR = 3600;

  // In pixels; what the axis counts, too.
  private static final double HEADING = 17;
  private static final double MOST_PER_ROW = 11;
  private static final double LEAST_PER_ROW = 1.5;
  private static final double ALL_ROWS = 420;
  private static final double HATCH = 5;

  /** A thinner bar would disappear behind its outline. */
  private static final double THICK = 5;

  /** Phases shorter than this part of the time axis, half a pixel, cannot be seen. */
  private static final double SEEN = 1.0 / 1800;

  private static final BasicStroke THIN = new BasicStroke(0.8f);
  private static final BasicStroke HAIR = new BasicStroke(0.5f);
  private static final BasicStroke CROSS = new BasicStroke(1.2f);
  private static final Color NOTICE = new Color(0x7A2F5D);

  private static final Map<Activity, Color> COLOURS = new EnumMap<>(Activity.class);
  private static final Map<Activity, String> NAMES = new EnumMap<>(Activity.class);

  static {
    name(Activity.USEFUL, "useful", Style.GREEN);
    name(Activity.REDONE, "lost, redone", Style.VERMILLION);
    name(Activity.STALLED, "stalled", Style.BLUE);
    name(Activity.WAITING, "waiting", Style.GREY);
    name(Activity.BOOTING, "booting", Style.ORANGE);
  }

  private final List<Life> lives;
  private final List<Rows> rows;
  private final SpotMarket market;
  private final Course course;
  private final double perRow;
  private final double shortest;

  /** Lays the panel out for a time axis of this many seconds. */
  Lives(Timeline timeline, SpotMarket market, Scenario scenario, double seconds) {
    this.lives = timeline.lives();
    this.rows = Rows.of(lives);
    this.market = market;
    this.course = Course.of(timeline, scenario);
    shortest = seconds * SEEN;
    perRow = Math.max(LEAST_PER_ROW, Math.min(MOST_PER_ROW, ALL_ROWS / Math.max(1, count())));
  }

  Course course() {
    return course;
  }

  /** The pools that had nodes. */
  List<Rows> rows() {
    return rows;
  }

  /** How many pixels the panel needs. */
  int height() {
    return (int) Math.ceil(Math.max(1, rows.size()) * HEADING + count() * perRow + perRow / 2);
  }

  /** What happened to how many, in a line. */
  String summary() {
    long onDemand = lives.stream().filter(l -> l.market() == Market.ON_DEMAND).count();
    long revoked = lives.stream().filter(Life::revoked).count();
    return "%s: %d spot, %d on demand; %d revoked"
        .formatted(
            lives.size() == 1 ? "1 node" : lives.size() + " nodes",
            lives.size() - onDemand,
            onDemand,
            revoked);
  }

  XYPlot panel() {
    NumberAxis axis = Style.axis("Nodes", true);
    axis.setRange(0, height());
    axis.setInverted(true);
    axis.setTickLabelsVisible(false);
    axis.setTickMarksVisible(false);
    XYPlot panel = Style.panel(new XYSeriesCollection(), axis, Style.lines(0));
    panel.setRangeGridlinesVisible(false);
    panel.addAnnotation(new Bars());
    return panel;
  }

  /** What the bars' colours and marks mean, as far as they occur. */
  LegendItemCollection legend() {
    LegendItemCollection items = new LegendItemCollection();
    Rectangle2D box = new Rectangle2D.Double(-6, -5, 12, 10);
    COLOURS.forEach(
        (activity, colour) -> {
          if (occurs(activity)) {
            items.add(new LegendItem(name(activity), null, null, null, box, colour));
          }
        });
    if (lives.stream().anyMatch(l -> l.market() == Market.ON_DEMAND)) {
      Path2D hatched = new Path2D.Double(box);
      hatch(hatched, box);
      items.add(outlined("on demand", hatched, THIN, Style.INK));
    }
    if (lives.stream().anyMatch(l -> !l.notices().isEmpty())) {
      items.add(outlined("notice", new Line2D.Double(0, -5, 0, 5), CROSS, NOTICE));
    }
    if (lives.stream().anyMatch(Life::revoked)) {
      Path2D cross = new Path2D.Double();
      cross(cross, 0, 0, 4);
      items.add(outlined("revoked", cross, CROSS, Color.BLACK));
    }
    return items;
  }

  /** Adds the nodes as data, in hours. */
  void nodes(ArrayNode json) {
    for (Rows pool : rows) {
      String place = market.pools().get(pool.pool()).toString();
      for (List<List<Life>> kind : List.of(pool.spot(), pool.onDemand())) {
        for (List<Life> row : kind) {
          row.forEach(life -> node(json.addObject(), place, life));
        }
      }
    }
  }

  private void node(ObjectNode json, String place, Life life) {
    json.put("name", "").put("place", place);
    json.put("onDemand", life.market() == Market.ON_DEMAND).put("lost", life.revoked());
    json.put("from", Drawing.seen(life.from() / HOUR)).put("to", Drawing.seen(life.to() / HOUR));
    ArrayNode spans = json.putArray("spans");
    for (Phase phase : phases(life)) {
      spans.addArray().add(phase.activity().name()).add(Drawing.seen(phase.from() / HOUR));
    }
    ArrayNode notices = json.putArray("notices");
    life.notices().forEach(at -> notices.add(Drawing.seen(at / HOUR)));
  }

  private boolean occurs(Activity activity) {
    return lives.stream()
        .anyMatch(life -> phases(life).stream().anyMatch(p -> p.activity() == activity));
  }

  /** Returns what can be seen of a life: phases too short are made part of the one before. */
  private List<Phase> phases(Life life) {
    List<Phase> seen = new ArrayList<>();
    for (Phase whole : life.phases()) {
      for (Phase phase : course.split(whole)) {
        Phase last = seen.isEmpty() ? null : seen.get(seen.size() - 1);
        boolean joins =
            last != null
                && (last.activity() == phase.activity() || phase.to() - phase.from() < shortest);
        if (last != null && joins) {
          seen.set(seen.size() - 1, new Phase(last.activity(), last.from(), phase.to()));
        } else {
          seen.add(phase);
        }
      }
    }
    return seen;
  }

  private int count() {
    return rows.stream().mapToInt(Rows::count).sum();
  }

  private static LegendItem outlined(String name, Shape shape, BasicStroke stroke, Color colour) {
    return new LegendItem(name, null, null, null, shape, Color.WHITE, stroke, colour);
  }

  private static void name(Activity activity, String name, Color colour) {
    NAMES.put(activity, name);
    COLOURS.put(activity, colour);
  }

  private static String name(Activity activity) {
    return Objects.requireNonNull(NAMES.get(activity));
  }

  private static void hatch(Path2D path, Rectangle2D bar) {
    double rise = bar.getHeight();
    for (double x = bar.getX() + 1; x + rise <= bar.getMaxX(); x += HATCH) {
      path.moveTo(x, bar.getMaxY());
      path.lineTo(x + rise, bar.getY());
    }
  }

  private static void cross(Path2D path, double x, double y, double size) {
    path.moveTo(x - size, y - size);
    path.lineTo(x + size, y + size);
    path.moveTo(x - size, y + size);
    path.lineTo(x + size, y - size);
  }

  /** Draws all bars of a colour and all marks of a kind as one path, which keeps files small. */
  private final class Bars extends AbstractXYAnnotation {

    private static final long serialVersionUID = 1;

    @Override
    public void draw(
        Graphics2D graphics,
        XYPlot plot,
        Rectangle2D area,
        ValueAxis hours,
        ValueAxis pixels,
        int index,
        PlotRenderingInfo info) {
      Canvas canvas = new Canvas(graphics, area, hours, pixels);
      double top = 0;
      for (Rows pool : rows) {
        canvas.heading(pool, rows.indexOf(pool), top);
        top += HEADING;
        List<List<Life>> all = new ArrayList<>(pool.spot());
        all.addAll(pool.onDemand());
        for (List<Life> row : all) {
          for (Life life : row) {
            canvas.life(life, top);
          }
          top += perRow;
        }
      }
      if (rows.isEmpty()) {
        canvas.text("No node was rented.", 4, 0);
      }
      canvas.paint();
    }
  }

  private final class Canvas {

    private final Graphics2D graphics;
    private final Rectangle2D area;
    private final ValueAxis hours;
    private final ValueAxis pixels;
    private final Map<Activity, Path2D> bars = new EnumMap<>(Activity.class);
    private final Path2D hatches = new Path2D.Double();
    private final Path2D notices = new Path2D.Double();
    private final Path2D crosses = new Path2D.Double();

    Canvas(Graphics2D graphics, Rectangle2D area, ValueAxis hours, ValueAxis pixels) {
      this.graphics = graphics;
      this.area = area;
      this.hours = hours;
      this.pixels = pixels;
    }

    void heading(Rows pool, int number, double top) {
      double y = y(top + HEADING / 2);
      graphics.setPaint(Style.colour(number));
      graphics.setStroke(Style.stroke(number));
      graphics.draw(new Line2D.Double(area.getX() + 4, y, area.getX() + 30, y));
      text(market.pools().get(pool.pool()).toString(), 36, top);
    }

    void text(String text, double left, double top) {
      graphics.setPaint(Style.INK);
      graphics.setFont(Style.SMALL);
      graphics.drawString(text, (float) (area.getX() + left), (float) (y(top + HEADING / 2) + 4));
    }

    void life(Life life, double top) {
      double upper = y(top + 0.1 * perRow);
      double height = y(top + 0.9 * perRow) - upper;
      for (Phase phase : phases(life)) {
        bars.computeIfAbsent(phase.activity(), a -> new Path2D.Double())
            .append(bar(phase.from(), phase.to(), upper, height), false);
      }
      if (life.market() == Market.ON_DEMAND) {
        Rectangle2D whole = bar(life.from(), life.to(), upper, height);
        if (height > THICK) {
          hatches.append(whole, false);
        }
        hatch(hatches, whole);
      }
      for (double notice : life.notices()) {
        notices.append(new Line2D.Double(x(notice), upper, x(notice), upper + height), false);
      }
      if (life.revoked()) {
        double size = Math.max(1.5, Math.min(3, height / 2));
        cross(crosses, x(life.to()), upper + height / 2, size);
      }
    }

    void paint() {
      bars.forEach(
          (activity, path) -> {
            graphics.setPaint(COLOURS.getOrDefault(activity, Style.GREY));
            graphics.fill(path);
          });
      outline(hatches, perRow > THICK ? THIN : HAIR, Style.INK);
      outline(notices, CROSS, NOTICE);
      outline(crosses, CROSS, Color.BLACK);
    }

    private void outline(Shape shape, BasicStroke stroke, Color colour) {
      graphics.setPaint(colour);
      graphics.setStroke(stroke);
      graphics.draw(shape);
    }

    private Rectangle2D bar(double from, double to, double y, double height) {
      return new Rectangle2D.Double(x(from), y, x(to) - x(from), height);
    }

    private double x(double seconds) {
      return hours.valueToJava2D(seconds / HOUR, area, RectangleEdge.BOTTOM);
    }

    private double y(double value) {
      return pixels.valueToJava2D(value, area, RectangleEdge.LEFT);
    }
  }
}
