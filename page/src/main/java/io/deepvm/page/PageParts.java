package io.deepvm.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;

/** The look and the charts of the pages, as text for a page that stands alone. */
public final class PageParts {

  /** Those that reports need, each after those that it uses. */
  private static final List<String> MODULES =
      List.of("elements.js", "figures.js", "states.js", "charts.js", "lives.js", "report.js");

  private PageParts() {}

  /** Returns the style sheet. */
  public static String style() {
    return text("uplot.css") + text("page.css");
  }

  /** Returns the library that draws charts, with its licence. */
  public static String library() {
    return text("uplot.js");
  }

  /** Returns the modules that draw the charts of a report, as one. */
  public static String script() {
    return MODULES.stream()
        .flatMap(name -> text(name).lines())
        .filter(line -> !line.startsWith("import "))
        .map(line -> line.startsWith("export ") ? line.substring("export ".length()) : line)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String text(String name) {
    try {
      return PageServer.text(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
