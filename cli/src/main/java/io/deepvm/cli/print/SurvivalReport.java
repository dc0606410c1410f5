package io.deepvm.cli.print;

import io.deepvm.base.BadInput;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import io.deepvm.market.survival.GangSurvival;
import io.deepvm.market.survival.KaplanMeier;
import io.deepvm.market.survival.Lifetimes;
import io.deepvm.market.survival.ModelFit;
import io.deepvm.market.survival.SurvivalFit;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How long nodes stay in each pool, by model; and how likely some of them all last. */
public record SurvivalReport(
    Recording recording, List<Row> rows, int nodes, @Nullable Double hours, PrintWriter out) {

  private static final String UP = "up";

  /**
   * One pool, or all of them, in one state.
   *
   * @param gang how often this many nodes all lasted from any time they could be had, in the state
   *     up where that was asked; a new node is another matter, because those that have just come
   *     are often gone soon
   */
  public record Row(
      String place, String type, String state, SurvivalFit fit, @Nullable GangSurvival gang) {}

  /** Fits every pool; all of them together, too, where their ticks are equally long. */
  public static SurvivalReport of(
      Recording recording, int nodes, @Nullable Double hours, PrintWriter out) {
    List<Row> rows = new ArrayList<>();
    List<Lifetimes> allUp = new ArrayList<>();
    List<Lifetimes> allDown = new ArrayList<>();
    for (Trace trace : recording.traces()) {
      String place = trace.pool().place().toString();
      String type = trace.pool().instanceType();
      Lifetimes up = Lifetimes.up(trace);
      Lifetimes down = Lifetimes.down(trace);
      rows.add(
          new Row(
              place,
              type,
              UP,
              SurvivalFit.of(up),
              hours == null ? null : GangSurvival.of(trace, nodes, hours)));
      rows.add(new Row(place, type, "down", SurvivalFit.of(down), null));
      allUp.add(up);
      allDown.add(down);
    }
    if (allUp.stream().mapToLong(Lifetimes::ends).sum() == 0) {
      throw new BadInput(
          "No node of %s was seen to be lost, so nothing can be fitted."
              .formatted(recording.name()),
          "Maybe take a longer trace, or one with counts of nodes.");
    }
    boolean oneTick = recording.traces().stream().map(Trace::tick).distinct().count() == 1;
    if (recording.traces().size() > 1 && oneTick) {
      rows.add(new Row("all", "", UP, SurvivalFit.of(Lifetimes.together(allUp)), null));
      rows.add(new Row("all", "", "down", SurvivalFit.of(Lifetimes.together(allDown)), null));
    }
    return new SurvivalReport(recording, rows, nodes, hours, out);
  }

  /** Prints it for people. */
  public void table(Paint paint) {
    Table table =
        new Table(
            "PLACE",
            "TYPE",
            "STATE",
            "STAYS>",
            "ENDED>",
            "MEDIAN>",
            "MODEL",
            "SCALE>",
            "SHAPE>",
            "DISTANCE>",
            "AIC BELOW EXPONENTIAL>");
    for (Row row : rows) {
      ModelFit best = row.fit().best();
      table.row(
          row.place(),
          row.type(),
          row.state(),
          Figures.count(row.fit().lifetimes().stays()),
          Figures.count(row.fit().lifetimes().ends()),
          Measures.hours(row.fit().curve().medianHours()),
          best == null ? "none ended" : best.model().family().toString(),
          best == null ? "-" : Measures.hours(best.model().scaleHours()),
          best == null ? "-" : Measures.number(best.model().shape()),
          best == null ? "-" : String.format(Locale.ROOT, "%.3f", best.distance()),
          Measures.number(gain(row.fit())));
    }
    table.print(out, paint, "");
    if (hours != null) {
      out.println();
      chances(hours).print(out, paint, "");
    }
    out.println(paint.faint("Source: " + recording.source()));
  }

  private Table chances(double asked) {
    Table table =
        new Table(
            "PLACE",
            "%s AT ANY TIME LAST %s>".formatted(Figures.count(nodes), Measures.hours(asked)),
            "WINDOWS>",
            "A NEW NODE>",
            "95 %>",
            "BY MODEL>",
            "%s NEW, IF INDEPENDENT>".formatted(Figures.count(nodes)));
    for (Row row : rows) {
      if (row.state().equals(UP)) {
        KaplanMeier.Step step = row.fit().curve().at(asked);
        GangSurvival gang = row.gang();
        table.row(
            row.place(),
            gang == null ? "-" : Measures.share(gang.share()),
            gang == null ? "-" : Figures.count(gang.windows()),
            Measures.share(step.survival()),
            "%s to %s".formatted(Measures.share(step.low()), Measures.share(step.high())),
            Measures.share(row.fit().allSurvive(1, asked)),
            Measures.share(row.fit().allSurvive(nodes, asked)));
      }
    }
    return table;
  }

  private static double gain(SurvivalFit fit) {
    ModelFit best = fit.best();
    ModelFit plain = fit.exponential();
    return best == null || plain == null ? Double.NaN : plain.aic() - best.aic();
  }

  /** Prints it as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/market-fit/v1");
          json.put("name", recording.name());
          json.put("source", recording.source());
          json.texts("assumptions", recording.assumptions());
          json.put("nodes", nodes);
          json.put("hours", hours);
          json.array(
              "fits",
              list -> {
                for (Row row : rows) {
                  list.object(o -> row(o, row));
                }
              });
        });
  }

  private void row(Json json, Row row) throws IOException {
    json.put("place", row.place());
    json.put("instanceType", row.type().isEmpty() ? null : row.type());
    json.put("state", row.state());
    json.put("stays", row.fit().lifetimes().stays());
    json.put("ended", row.fit().lifetimes().ends());
    json.put("medianHours", row.fit().curve().medianHours());
    json.array(
        "models",
        list -> {
          for (ModelFit fit : row.fit().models()) {
            list.object(
                o -> {
                  o.put("family", fit.model().family());
                  o.put("scaleHours", fit.model().scaleHours());
                  o.put("shape", fit.model().shape());
                  o.put("aic", fit.aic());
                  o.put("distance", fit.distance());
                });
          }
        });
    if (hours != null && row.state().equals(UP)) {
      KaplanMeier.Step step = row.fit().curve().at(hours);
      GangSurvival gang = row.gang();
      json.put("allNodesLast", gang == null ? null : gang.share());
      json.put("windows", gang == null ? null : gang.windows());
      json.put("oneNodeLasts", step.survival());
      json.put("oneNodeLastsLow", step.low());
      json.put("oneNodeLastsHigh", step.high());
      json.put("oneNodeLastsByModel", row.fit().allSurvive(1, hours));
      json.put("allNodesLastIfIndependent", row.fit().allSurvive(nodes, hours));
    }
  }

  /** Prints it as CSV, one row per pool, state and model. */
  public void csv() {
    Csv csv =
        new Csv(out)
            .row(
                "place",
                "instance_type",
                "state",
                "stays",
                "ended",
                "model",
                "scale_hours",
                "shape",
                "aic",
                "distance",
                "nodes",
                "hours",
                "all_nodes_last",
                "one_node_lasts",
                "all_nodes_last_if_independent");
    for (Row row : rows) {
      Double asked = row.state().equals(UP) ? hours : null;
      GangSurvival gang = row.gang();
      for (ModelFit fit : row.fit().models()) {
        csv.row(
            row.place(),
            row.type(),
            row.state(),
            row.fit().lifetimes().stays(),
            row.fit().lifetimes().ends(),
            fit.model().family(),
            fit.model().scaleHours(),
            fit.model().shape(),
            fit.aic(),
            fit.distance(),
            asked == null ? null : nodes,
            asked,
            gang == null || Double.isNaN(gang.share()) ? null : gang.share(),
            asked == null ? null : row.fit().curve().at(asked).survival(),
            asked == null ? null : Math.pow(fit.model().survival(asked), nodes));
      }
    }
  }
}
