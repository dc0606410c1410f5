package io.deepvm.cli.print;

import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import java.io.PrintWriter;
import java.util.List;

/** The traces that come with the program. */
public record BuiltInTraces(List<Recording> recordings, PrintWriter out) {

  /** Prints them for people. */
  public void table(Paint paint) {
    Table table = new Table("NAME", "POOLS>", "TYPE", "NODES>", "TICK>", "DAYS>", "LICENCE");
    for (Recording recording : recordings) {
      Trace first = recording.traces().get(0);
      table.row(
          recording.name(),
          Figures.count(recording.traces().size()),
          first.pool().instanceType(),
          Figures.count(first.asked()),
          Measures.seconds(first.tickSeconds()),
          Measures.number(days(first)),
          recording.licence());
    }
    table.print(out, paint, "");
    for (Recording recording : recordings) {
      out.println();
      out.println(paint.faint("%s: %s".formatted(recording.name(), recording.source())));
    }
  }

  /** Prints them as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/market-list/v1");
          json.array(
              "traces",
              list -> {
                for (Recording recording : recordings) {
                  Trace first = recording.traces().get(0);
                  list.object(
                      o -> {
                        o.put("name", recording.name());
                        o.put("pools", recording.traces().size());
                        o.put("instanceType", first.pool().instanceType());
                        o.put("nodesAsked", first.asked());
                        o.put("start", first.start());
                        o.put("tickSeconds", first.tickSeconds());
                        o.put("ticks", first.length());
                        o.put("source", recording.source());
                        o.put("licence", recording.licence());
                      });
                }
              });
        });
  }

  /** Prints them as CSV. */
  public void csv() {
    Csv csv =
        new Csv(out)
            .row(
                "name",
                "pools",
                "instance_type",
                "nodes_asked",
                "start",
                "tick_seconds",
                "ticks",
                "source",
                "licence");
    for (Recording recording : recordings) {
      Trace first = recording.traces().get(0);
      csv.row(
          recording.name(),
          recording.traces().size(),
          first.pool().instanceType(),
          first.asked(),
          first.start(),
          first.tickSeconds(),
          first.length(),
          recording.source(),
          recording.licence());
    }
  }

  private static double days(Trace trace) {
    return trace.length() * trace.tickSeconds() / 86_400;
  }
}
