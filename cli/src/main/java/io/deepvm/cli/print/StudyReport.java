package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.studies.StudyRow;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A study's published figures beside ours. */
public record StudyReport(List<StudyRow> rows, PrintWriter out) {

  /** Prints them for people. */
  public void table(Paint paint) {
    Table table = new Table("CASE", "PUBLISHED>", "OURS>", "DIFFERENCE>", "NOTE");
    for (StudyRow row : rows) {
      Double difference = row.relativeDifference();
      table.row(
          row.name(),
          figure(row.published()),
          figure(row.ours()),
          difference == null ? "-" : Figures.percent(difference),
          row.note());
    }
    table.print(out, paint, "");
  }

  /** Prints them as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/study/v1");
          json.array(
              "rows",
              list -> {
                for (StudyRow row : rows) {
                  list.object(
                      o -> {
                        o.put("study", row.study());
                        o.put("case", row.name());
                        o.put("published", row.published());
                        o.put("ours", row.ours());
                        o.put("relativeDifference", row.relativeDifference());
                        o.put("note", row.note());
                      });
                }
              });
        });
  }

  /** Prints them as CSV. */
  public void csv() {
    Csv csv = new Csv(out).row("study", "case", "published", "ours", "relative_difference", "note");
    for (StudyRow row : rows) {
      csv.row(
          row.study(),
          row.name(),
          row.published(),
          row.ours(),
          row.relativeDifference(),
          row.note());
    }
  }

  private static String figure(@Nullable Double value) {
    return value == null ? "-" : Numbers.print(value, 5);
  }
}
