package io.deepvm.cli.chart;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.page.PageParts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A page of HTML that needs nothing else: sections, charts, facts and tables, in the order given.
 * It has the look and the charts of the live pages. It runs no script but its own, and loads
 * nothing.
 */
public final class Page {

  /** A row of a table of bars: its name, a picture as SVG, and the same in words. */
  record Cell(String name, String picture, String words) {}

  private static final Pattern FIGURE = Pattern.compile("[$+−-]?[$0-9].*|-|–|");

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private boolean open;
  private int charts;

  /** Begins a page; its title is its heading. */
  public Page(String title) {
    this.title = title;
  }

  /** Adds a heading. */
  public Page section(String heading) {
    close();
    card();
    body.append("<header><h2>%s</h2></header>\n".formatted(escaped(heading)));
    return this;
  }

  private void card() {
    if (!open) {
      body.append("<section class=\"card\">\n");
      open = true;
    }
  }

  private void close() {
    if (open) {
      body.append("</section>\n");
      open = false;
    }
  }

  /** Adds a paragraph. */
  public Page text(String words) {
    card();
    body.append("<p>%s</p>\n".formatted(escaped(words)));
    return this;
  }

  /** Adds a chart without its title, which belongs into a heading. */
  public Page chart(Chart chart) {
    card();
    chart.addTo(this);
    return this;
  }

  /**
   * Adds what the page's script draws.
   *
   * @param picture gives the same as SVG whose ids have a prefix, for readers without scripts
   */
  void drawn(String caption, UnaryOperator<String> picture, ObjectNode data) {
    String id = "deepvm" + ++charts;
    body.append(
        ("<figure data-chart=\"%s\"><figcaption>%s</figcaption><div class=\"panels\"></div>"
                + "<noscript>%s</noscript></figure>\n")
            .formatted(id, escaped(caption), picture.apply(id)));
    // Else a text could end the element.
    String json = data.toString().replace("<", "\\u003c");
    body.append("<script type=\"application/json\" id=\"%s\">%s</script>\n".formatted(id, json));
  }

  /** Adds a table of bars. */
  void bars(String label, String scale, List<Cell> rows) {
    body.append(
        ("<div class=\"scroll\"><table class=\"bars\">\n"
                + "<thead><tr><th scope=\"col\">%s</th><th scope=\"col\" class=\"wide\">%s</th><th"
                + " scope=\"col\">mean (5 %% to 95 %%)</th></tr></thead>\n")
            .formatted(escaped(label), escaped(scale)));
    for (Cell row : rows) {
      body.append(
          "<tr><th scope=\"row\">%s</th><td class=\"wide\">%s</td><td>%s</td></tr>\n"
              .formatted(escaped(row.name()), row.picture(), escaped(row.words())));
    }
    body.append("</table></div>\n");
  }

  /** Adds a table of facts; none if there are none. */
  public Page facts(List<Chart.Fact> facts) {
    if (!facts.isEmpty()) {
      card();
      body.append("<div class=\"scroll\"><table>\n");
      for (Chart.Fact fact : facts) {
        body.append(
            "<tr><th scope=\"row\">%s</th><td class=\"number\">%s</td></tr>\n"
                .formatted(escaped(fact.label()), escaped(fact.value())));
      }
      body.append("</table></div>\n");
    }
    return this;
  }

  /** Adds a table; the first column names the rows. */
  public Page table(List<String> head, List<List<String>> rows) {
    card();
    body.append("<div class=\"scroll\"><table>\n<thead><tr>");
    for (int i = 0; i < head.size(); i++) {
      int column = i;
      boolean figures =
          i > 0 && rows.stream().allMatch(row -> FIGURE.matcher(row.get(column)).matches());
      body.append(
          "<th scope=\"col\"%s>%s</th>"
              .formatted(figures ? " class=\"number\"" : "", escaped(head.get(i))));
    }
    body.append("</tr></thead>\n");
    for (List<String> row : rows) {
      body.append("<tr><th scope=\"row\">%s</th>".formatted(escaped(row.get(0))));
      row.stream().skip(1).forEach(cell -> body.append(cell(cell)));
      body.append("</tr>\n");
    }
    body.append("</table></div>\n");
    return this;
  }

  private static String cell(String text) {
    boolean figure = !text.isEmpty() && FIGURE.matcher(text).matches();
    return "<td%s>%s</td>".formatted(figure ? " class=\"number\"" : "", escaped(text));
  }

  /** Writes it. */
  public void write(Path file) throws IOException {
    Files.writeString(file, html(), StandardCharsets.UTF_8);
  }

  private String html() {
    close();
    String style = PageParts.style();
    String library = charts == 0 ? "" : PageParts.library();
    String script = charts == 0 ? "" : PageParts.script();
    String policy =
        ("default-src 'none'; script-src '%s' '%s'; style-src '%s'; style-src-attr 'unsafe-inline';"
                + " img-src data:; base-uri 'none'; form-action 'none'")
            .formatted(hash(library), hash(script), hash(style));
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="%s">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s</title>
    <style>%s</style>
    <script>%s</script>
    </head>
    <body>
    <header class="top report"><h1>%2$s</h1><span class="grow"></span>
    <button data-zoom hidden>Show all</button></header>
    <main class="report">
    %5$s</main>
    <script type="module">%6$s</script>
    </body>
    </html>
    """
        .formatted(policy, escaped(title), style, library, body, script);
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
