package io.deepvm.cli.chart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A page of HTML that needs nothing else: sections, charts, facts and tables, in the order given.
 */
public final class Page {

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private int charts;

  /** Begins a page; its title is its heading. */
  public Page(String title) {
    this.title = title;
  }

  /** Adds a heading. */
  public Page section(String heading) {
    body.append("<h2>%s</h2>\n".formatted(escaped(heading)));
    return this;
  }

  /** Adds a paragraph. */
  public Page text(String words) {
    body.append("<p>%s</p>\n".formatted(escaped(words)));
    return this;
  }

  /** Adds a chart without its title, which belongs into a heading. */
  public Page chart(Chart chart) {
    charts++;
    body.append(chart.element("deepvm" + charts)).append('\n');
    return this;
  }

  /** Adds a table of facts; none if there are none. */
  public Page facts(List<Chart.Fact> facts) {
    if (!facts.isEmpty()) {
      body.append("<table>\n");
      for (Chart.Fact fact : facts) {
        body.append(
            "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n"
                .formatted(escaped(fact.label()), escaped(fact.value())));
      }
      body.append("</table>\n");
    }
    return this;
  }

  /** Adds a table; the first column names the rows. */
  public Page table(List<String> head, List<List<String>> rows) {
    body.append("<table>\n<tr>");
    head.forEach(cell -> body.append("<th scope=\"col\">%s</th>".formatted(escaped(cell))));
    body.append("</tr>\n");
    for (List<String> row : rows) {
      body.append("<tr><th scope=\"row\">%s</th>".formatted(escaped(row.get(0))));
      row.stream().skip(1).forEach(cell -> body.append("<td>%s</td>".formatted(escaped(cell))));
      body.append("</tr>\n");
    }
    body.append("</table>\n");
    return this;
  }

  /** Writes it. */
  public void write(Path file) throws IOException {
    Files.writeString(file, html(), StandardCharsets.UTF_8);
  }

  private String html() {
    return """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>%1$s</title>
        <style>
        body { font-family: sans-serif; color: #222; max-width: %2$dpx; margin: 2em auto; padding: 0 1em; }
        h1 { font-size: 1.3em; text-align: center; }
        h2 { font-size: 1.1em; margin-top: 2em; }
        svg { width: 100%%; height: auto; }
        table { border-collapse: collapse; margin: 1em auto; }
        th, td { padding: .3em 1em; border-bottom: 1px solid #ddd; text-align: left; font-weight: normal; }
        th[scope=col] { font-weight: bold; }
        td { text-align: right; font-variant-numeric: tabular-nums; }
        </style>
        </head>
        <body>
        <h1>%1$s</h1>
        %3$s</body>
        </html>
        """
        .formatted(escaped(title), Chart.WIDTH, body);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
