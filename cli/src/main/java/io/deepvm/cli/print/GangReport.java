package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.simulator.gang.GangOutcome;
import io.deepvm.studies.skynomad.GangComparison;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SkyNomad's simulator beside ours, policy by policy. */
public final class GangReport {

  private final List<GangComparison.Row> rows;
  private final PrintWriter out;

  public GangReport(List<GangComparison.Row> rows, PrintWriter out) {
    this.rows = rows;
    this.out = out;
  }

  /** Prints for people. */
  public void table(Paint paint) {
    Table table =
        new Table(
            "POLICY",
            "ZONE",
            "AS PUBLISHED>",
            "WHOLE>",
            "DONE AT TICK>",
            "MOVES>",
            "EGRESS>",
            "PROBES>",
            "MENDED>",
            "OVER BOUND>");
    for (GangComparison.Row row : rows) {
      GangOutcome full = row.original().full();
      GangOutcome ours = row.ours();
      table.row(
          row.policy(),
          row.zone() == null ? "all" : row.zone(),
          Figures.dollars(row.original().publishedDollars()),
          Figures.dollars(full.dollars()),
          String.valueOf(full.finishTick()),
          String.valueOf(full.migrations()),
          Figures.dollars(full.egressDollars()),
          Figures.dollars(full.probeDollars()),
          ours == null ? "-" : Figures.dollars(ours.dollars()),
          Numbers.percent((ours == null ? full.dollars() : ours.dollars()) / row.bound() - 1));
    }
    table.print(out, paint, "");
  }

  /** Prints for spreadsheets. */
  public void csv() {
    Csv csv = new Csv(out);
    csv.row(
        "policy",
        "zone",
        "published_usd",
        "full_usd",
        "finish_tick",
        "migrations",
        "egress_usd",
        "probe_usd",
        "safety_net",
        "mended_usd",
        "bound_usd");
    for (GangComparison.Row row : rows) {
      GangOutcome full = row.original().full();
      csv.row(
          row.policy(),
          row.zone(),
          row.original().publishedDollars(),
          full.dollars(),
          full.finishTick(),
          full.migrations(),
          full.egressDollars(),
          full.probeDollars(),
          row.original().safetyNet(),
          mended(row),
          row.bound());
    }
  }

  /** Prints for programs. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/gang-simulation/v1");
          json.array(
              "policies",
              list -> {
                for (GangComparison.Row row : rows) {
                  GangOutcome full = row.original().full();
                  list.object(
                      p -> {
                        p.put("policy", row.policy());
                        p.put("zone", row.zone());
                        p.put("publishedUsd", row.original().publishedDollars());
                        p.put("fullUsd", full.dollars());
                        p.put("finishTick", full.finishTick());
                        p.put("migrations", full.migrations());
                        p.put("egressUsd", full.egressDollars());
                        p.put("probeUsd", full.probeDollars());
                        p.put("safetyNet", row.original().safetyNet());
                        p.put("mendedUsd", mended(row));
                        p.put("boundUsd", row.bound());
                      });
                }
              });
        });
  }

  private static @Nullable Double mended(GangComparison.Row row) {
    GangOutcome ours = row.ours();
    return ours == null ? null : ours.dollars();
  }
}
