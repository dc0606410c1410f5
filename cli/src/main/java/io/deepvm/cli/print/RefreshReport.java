package io.deepvm.cli.print;

import io.deepvm.catalog.refresh.RefusedPrice;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a refresh of prices read, and what it refused. */
public record RefreshReport(List<Part> parts, PrintWriter out) {

  private static final int MOST_ROWS = 10;

  /**
   * What became of one source.
   *
   * @param asOf the day of the prices that are in use now
   * @param changed how many listings have another price than before, or are new
   * @param problem why nothing of it is used; null if it is
   */
  public record Part(
      String cloud,
      String source,
      String asOf,
      int listings,
      int changed,
      List<RefusedPrice> refused,
      @Nullable String problem) {
    public Part {
      refused = List.copyOf(refused);
    }
  }

  /** Prints a line a source, then refused prices. */
  public void table(Paint paint) {
    Table table = new Table("CLOUD", "SOURCE", "PRICES OF", "LISTINGS>", "CHANGED>", "REFUSED>");
    Table refused = new Table("CLOUD", "REFUSED", "WHY");
    boolean any = false;
    for (Part part : parts) {
      boolean failed = part.problem() != null;
      table.row(
          part.cloud(),
          part.source(),
          part.asOf(),
          failed ? "-" : Figures.count(part.listings()),
          failed ? "-" : Figures.count(part.changed()),
          failed ? "all" : Figures.count(part.refused().size()));
      for (RefusedPrice each : part.refused().stream().limit(MOST_ROWS).toList()) {
        refused.row(part.cloud(), each.row(), each.why());
        any = true;
      }
      int more = part.refused().size() - MOST_ROWS;
      if (more > 0) {
        refused.row(part.cloud(), "%d more".formatted(more), "see --output csv");
      }
    }
    table.print(out, paint, "");
    if (any) {
      out.println();
      refused.print(out, paint, "");
    }
  }

  /** Prints everything as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/catalog-refresh/v1");
          json.array(
              "sources",
              list -> {
                for (Part part : parts) {
                  list.object(
                      o -> {
                        o.put("cloud", part.cloud());
                        o.put("source", part.source());
                        o.put("asOf", part.asOf());
                        o.put("listings", part.listings());
                        o.put("changed", part.changed());
                        o.put("problem", part.problem());
                        o.array(
                            "refused",
                            rows -> {
                              for (RefusedPrice each : part.refused()) {
                                rows.object(
                                    r -> {
                                      r.put("row", each.row());
                                      r.put("why", each.why());
                                    });
                              }
                            });
                      });
                }
              });
        });
  }

  /** Prints a row a source, and a row a refused price. */
  public void csv() {
    Csv csv = new Csv(out).row("cloud", "source", "as_of", "what", "count", "row", "why");
    for (Part part : parts) {
      String problem = part.problem() == null ? "" : part.problem();
      csv.row(part.cloud(), part.source(), part.asOf(), "listings", part.listings(), "", problem);
      csv.row(part.cloud(), part.source(), part.asOf(), "changed", part.changed(), "", "");
      for (RefusedPrice each : part.refused()) {
        csv.row(part.cloud(), part.source(), part.asOf(), "refused", 1, each.row(), each.why());
      }
    }
  }
}
