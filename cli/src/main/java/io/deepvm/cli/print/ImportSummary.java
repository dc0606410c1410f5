package io.deepvm.cli.print;

import io.deepvm.catalog.ImportReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of the rows of imported files. */
public record ImportSummary(List<ImportReport> reports, PrintWriter out) {

  /** Prints a line per file, then the reasons of each. */
  public void table(Paint paint) {
    Table files = new Table("CLOUD", "FILE", "READ>", "USED>", "SKIPPED>", "LISTINGS>");
    Table reasons = new Table("CLOUD", "ROWS>", "WHAT");
    boolean any = false;
    for (ImportReport report : reports) {
      files.row(
          report.cloud(),
          report.file(),
          Figures.count(report.read()),
          Figures.count(report.used()),
          Figures.count(report.read() - report.used()),
          Figures.count(report.listings()));
      for (Map.Entry<String, Integer> reason : reasons(report).entrySet()) {
        reasons.row(report.cloud(), Figures.count(reason.getValue()), reason.getKey());
        any = true;
      }
    }
    files.print(out, paint, "");
    if (any) {
      out.println();
      reasons.print(out, paint, "");
    }
  }

  /** Prints the counts as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/import/v1");
          json.array(
              "files",
              list -> {
                for (ImportReport report : reports) {
                  list.object(
                      o -> {
                        o.put("cloud", report.cloud());
                        o.put("file", report.file());
                        o.put("read", report.read());
                        o.put("used", report.used());
                        o.put("listings", report.listings());
                        o.object("skipped", s -> counts(s, report.skipped()));
                        o.object("notes", n -> counts(n, report.notes()));
                      });
                }
              });
        });
  }

  /** Prints the counts as CSV, one row per file and reason. */
  public void csv() {
    Csv csv = new Csv(out).row("cloud", "file", "what", "rows");
    for (ImportReport report : reports) {
      csv.row(report.cloud(), report.file(), "read", report.read());
      csv.row(report.cloud(), report.file(), "used", report.used());
      reasons(report).forEach((what, rows) -> csv.row(report.cloud(), report.file(), what, rows));
    }
  }

  private static void counts(Json json, Map<?, Integer> counts) throws IOException {
    for (Map.Entry<?, Integer> e : counts.entrySet()) {
      json.put(e.getKey().toString(), e.getValue());
    }
  }

  private static Map<String, Integer> reasons(ImportReport report) {
    Map<String, Integer> reasons = new LinkedHashMap<>();
    report.skipped().forEach((skip, rows) -> reasons.put("skipped: " + skip, rows));
    report.notes().forEach((note, rows) -> reasons.put("note: " + note, rows));
    return reasons;
  }
}
