package io.deepvm.cli.chart;

import io.deepvm.base.Durations;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.jfree.chart.axis.AxisState;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.TextAnchor;

/** A logarithmic axis of seconds, labelled as people say them: 10 s, 5 min, 2 h. */
final class DurationAxis extends LogAxis {

  private static final long serialVersionUID = 1;

  private static final int MINUTE = 60;
  private static final int HOUR = 3600;
  private static final int DAY = 86_400;
  private static final int[] ROUND = {
    1,
    2,
    5,
    10,
    30,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    DAY,
    2 * DAY,
    5 * DAY,
    10 * DAY,
    30 * DAY,
    100 * DAY
  };

  DurationAxis(String label) {
    super(label);
    setLabelFont(Style.LABEL);
    setMinorTickMarksVisible(false);
  }

  @Override
  public List<NumberTick> refreshTicks(
      Graphics2D graphics, AxisState state, Rectangle2D area, RectangleEdge edge) {
    List<NumberTick> ticks = new ArrayList<>();
    for (int seconds : ROUND) {
      if (getRange().contains(seconds)) {
        ticks.add(
            new NumberTick(
                seconds,
                Durations.print(Durations.ofSeconds(seconds)),
                TextAnchor.TOP_CENTER,
                TextAnchor.CENTER,
                0));
      }
    }
    return ticks;
  }
}
