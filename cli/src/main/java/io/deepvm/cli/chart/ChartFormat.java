package io.deepvm.cli.chart;

import io.deepvm.base.BadInput;
import java.nio.file.Path;
import java.util.Locale;

/** What a chart's file may be, by the ending of its name. */
public enum ChartFormat {
  SVG,
  PNG,
  HTML;

  /** Returns the format that the file's name says; one that says none is bad input. */
  public static ChartFormat of(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    for (ChartFormat format : values()) {
      if (name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
        return format;
      }
    }
    throw new BadInput(
        "The chart '%s' ends neither in .svg nor in .png or .html.".formatted(file),
        "Maybe name it %s.svg.".formatted(file));
  }
}
