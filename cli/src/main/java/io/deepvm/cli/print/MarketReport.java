package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.market.Recording;
import io.deepvm.market.stats.MarketStats;
import io.deepvm.market.stats.PoolStats;
import io.deepvm.market.stats.PriceStats;
import io.deepvm.market.stats.Runs;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** What traces say: pool by pool, and together. */
public record MarketReport(Recording recording, MarketStats stats, PrintWriter out) {

  /** Prints it for people. */
  public void table(Paint paint) {
    Table table =
        new Table(
            "PLACE",
            "TYPE",
            "ASKED>",
            "UP>",
            "ALL>",
            "PARTIAL>",
            "GAPS>",
            "UP MEDIAN>",
            "MEAN>",
            "LONGEST>",
            "DOWN MEDIAN>",
            "LOSSES/NODE-H>",
            "SPOT/H>",
            "VOLATILITY>");
    for (PoolStats pool : stats.pools()) {
      PriceStats price = pool.price();
      table.row(
          pool.trace().pool().place().toString(),
          pool.trace().pool().instanceType(),
          Figures.count(pool.trace().asked()),
          Measures.share(pool.upShare()),
          Measures.share(pool.fullShare()),
          Measures.share(pool.partialShare()),
          Measures.share((double) pool.trace().gaps() / pool.trace().length()),
          Measures.hours(pool.up().medianHours()),
          Measures.hours(pool.up().meanHours()),
          Measures.hours(pool.up().maxHours()),
          Measures.hours(pool.down().medianHours()),
          Measures.number(pool.lossesPerNodeHour()),
          price == null ? "-" : range(price),
          price == null ? "-" : Numbers.percent(price.volatility()));
    }
    table.print(out, paint, "");
    MarketStats.Together together = stats.together();
    if (together != null) {
      out.println();
      together(together);
    }
    out.println(paint.faint("Source: " + recording.source()));
  }

  private void together(MarketStats.Together together) {
    out.println(
        "In the %s ticks of %s that all %s pools share: all nodes %s, some %s, none %s."
            .formatted(
                Figures.count(together.ticks()),
                Measures.seconds(together.tickSeconds()),
                Figures.count(stats.pools().size()),
                Measures.share(together.fullShare()),
                Measures.share(together.partialShare()),
                Measures.share(together.noneShare())));
    out.println(
        "Together %s to %s nodes, median %s, in 95 %% of the time at least %s; some pool has a node %s of the time."
            .formatted(
                Numbers.print(together.fewest()),
                Numbers.print(together.most()),
                Numbers.print(together.median()),
                Numbers.print(together.fifthPercentile()),
                Measures.share(together.anyUpShare())));
    if (stats.pools().size() > 1) {
      out.println(
          "Correlation of two pools: %s on average, %s at most."
              .formatted(
                  Measures.number(together.meanCorrelation()),
                  Measures.number(together.maxCorrelation())));
    }
  }

  private static String range(PriceStats price) {
    String low = "$" + Numbers.print(price.min(), 4);
    return price.min() == price.max() ? low : low + "-" + Numbers.print(price.max(), 4);
  }

  /** Prints it as JSON. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/market-stats/v1");
          json.put("name", recording.name());
          json.put("source", recording.source());
          json.put("licence", recording.licence());
          json.texts("assumptions", recording.assumptions());
          json.array(
              "pools",
              list -> {
                for (PoolStats pool : stats.pools()) {
                  list.object(o -> pool(o, pool));
                }
              });
          MarketStats.Together together = stats.together();
          if (together != null) {
            json.object("together", o -> together(o, together));
          }
        });
  }

  private static void pool(Json json, PoolStats pool) throws IOException {
    place(json, pool);
    json.put("start", pool.trace().start());
    json.put("tickSeconds", pool.trace().tickSeconds());
    json.put("ticks", pool.trace().length());
    json.put("gaps", pool.trace().gaps());
    json.put("nodesAsked", pool.trace().asked());
    json.put("upShare", pool.upShare());
    json.put("fullShare", pool.fullShare());
    json.put("partialShare", pool.partialShare());
    json.object("upRuns", o -> runs(o, pool.up()));
    json.object("downRuns", o -> runs(o, pool.down()));
    json.put("lossesPerNodeHour", pool.lossesPerNodeHour());
    PriceStats price = pool.price();
    if (price != null) {
      json.object(
          "spotUsdPerHour",
          o -> {
            o.put("min", price.min());
            o.put("mean", price.mean());
            o.put("max", price.max());
            o.put("volatility", price.volatility());
            o.put("changesPerDay", price.changesPerDay());
          });
    }
    json.put("onDemandUsdPerHour", pool.trace().onDemandUsdPerHour());
  }

  private static void place(Json json, PoolStats pool) throws IOException {
    json.put("cloud", pool.trace().pool().place().cloud());
    json.put("region", pool.trace().pool().place().region());
    json.put("zone", pool.trace().pool().place().zone());
    json.put("instanceType", pool.trace().pool().instanceType());
  }

  private static void runs(Json json, Runs runs) throws IOException {
    json.put("count", runs.count());
    json.put("medianHours", runs.medianHours());
    json.put("meanHours", runs.meanHours());
    json.put("maxHours", runs.maxHours());
  }

  private static void together(Json json, MarketStats.Together together) throws IOException {
    json.put("tickSeconds", together.tickSeconds());
    json.put("ticks", together.ticks());
    json.put("fullShare", together.fullShare());
    json.put("partialShare", together.partialShare());
    json.put("noneShare", together.noneShare());
    json.put("anyUpShare", together.anyUpShare());
    json.object(
        "nodes",
        o -> {
          o.put("fewest", together.fewest());
          o.put("fifthPercentile", together.fifthPercentile());
          o.put("median", together.median());
          o.put("most", together.most());
        });
    json.object(
        "correlation",
        o -> {
          o.put("mean", together.meanCorrelation());
          o.put("max", together.maxCorrelation());
          o.array(
              "pairs",
              list -> {
                for (int a = 0; a < together.correlation().length; a++) {
                  for (int b = 0; b < a; b++) {
                    int first = b;
                    int second = a;
                    list.object(
                        pair -> {
                          pair.put("first", first);
                          pair.put("second", second);
                          pair.put("value", together.correlation()[second][first]);
                        });
                  }
                }
              });
        });
  }

  /** Prints it as CSV, one row per pool. */
  public void csv() {
    Csv csv =
        new Csv(out)
            .row(
                "place",
                "instance_type",
                "start",
                "tick_seconds",
                "ticks",
                "gaps",
                "nodes_asked",
                "up_share",
                "full_share",
                "partial_share",
                "up_runs",
                "up_median_hours",
                "up_mean_hours",
                "up_max_hours",
                "down_median_hours",
                "losses_per_node_hour",
                "spot_min_usd_per_hour",
                "spot_mean_usd_per_hour",
                "spot_max_usd_per_hour",
                "spot_volatility",
                "on_demand_usd_per_hour");
    for (PoolStats pool : stats.pools()) {
      PriceStats price = pool.price();
      csv.row(
          pool.trace().pool().place(),
          pool.trace().pool().instanceType(),
          pool.trace().start(),
          pool.trace().tickSeconds(),
          pool.trace().length(),
          pool.trace().gaps(),
          pool.trace().asked(),
          known(pool.upShare()),
          known(pool.fullShare()),
          known(pool.partialShare()),
          pool.up().count(),
          known(pool.up().medianHours()),
          known(pool.up().meanHours()),
          known(pool.up().maxHours()),
          known(pool.down().medianHours()),
          known(pool.lossesPerNodeHour()),
          price == null ? null : price.min(),
          price == null ? null : price.mean(),
          price == null ? null : price.max(),
          price == null ? null : price.volatility(),
          pool.trace().onDemandUsdPerHour());
    }
  }

  private static @Nullable Double known(double value) {
    return Double.isNaN(value) ? null : value;
  }
}
