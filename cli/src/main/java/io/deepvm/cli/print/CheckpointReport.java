package io.deepvm.cli.print;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Version;
import java.io.PrintWriter;
import java.util.List;

/** Checkpoints and what was found or done about them. */
public record CheckpointReport(String command, List<Row> rows, PrintWriter out) {

  /** One checkpoint. */
  public record Row(String job, long step, long generation, long bytes, String status) {

    /** Returns the row of a version. */
    public static Row of(Version version, long bytes, String status) {
      return new Row(version.job(), version.step(), version.generation(), bytes, status);
    }
  }

  /** Prints them for people. */
  public void table(Paint paint) {
    Table table = new Table("JOB", "STEP>", "GENERATION>", "SIZE>", "STATUS");
    for (Row row : rows) {
      table.row(
          row.job,
          Long.toString(row.step),
          Long.toString(row.generation),
          new DataSize(row.bytes).toString(),
          row.status);
    }
    table.print(out, paint, "");
  }

  /** Prints them as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/checkpoint-%s/v1".formatted(command));
          json.array(
              "checkpoints",
              list -> {
                for (Row row : rows) {
                  list.object(
                      o -> {
                        o.put("job", row.job);
                        o.put("step", row.step);
                        o.put("generation", row.generation);
                        o.put("bytes", row.bytes);
                        o.put("status", row.status);
                      });
                }
              });
        });
  }

  /** Prints them as CSV. */
  public void csv() {
    Csv csv = new Csv(out).row("job", "step", "generation", "bytes", "status");
    for (Row row : rows) {
      csv.row(row.job, row.step, row.generation, row.bytes, row.status);
    }
  }
}
