package io.deepvm.cli.print;

import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Charge;
import io.deepvm.simulator.Interval;
import io.deepvm.simulator.IntervalCurve;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Quantiles;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.Stage;
import io.deepvm.units.Durations;
import io.deepvm.units.Numbers;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What came of simulated runs: one policy in full, or several beside each other. */
public final class SimulationReport {

  private static final double[] SHARES = {0.05, 0.25, 0.5, 0.75, 0.95};

  /** A policy and its runs. */
  public record Standing(String policy, String description, Sample sample) {}

  /**
   * What was simulated.
   *
   * @param interval between checkpoints; null for the plan's own
   * @param bounds the least cost of each run, infinite where it cannot be done
   */
  public record Setting(
      Stage stage,
      String market,
      String draw,
      long seed,
      @Nullable Interval interval,
      double[] bounds,
      List<String> notes) {

    double meanBound() {
      return Arrays.stream(bounds).average().orElse(Double.NaN);
    }

    Interval stated() {
      return interval == null ? stage.scenario().checkpointing().interval() : interval;
    }
  }

  private final PrintWriter out;
  private final Setting setting;
  private final List<Standing> standings;
  private final @Nullable IntervalCurve curve;

  /** Reports standings, the best first. */
  public SimulationReport(
      PrintWriter out, Setting setting, List<Standing> standings, @Nullable IntervalCurve curve) {
    this.out = out;
    this.setting = setting;
    this.standings = standings;
    this.curve = curve;
  }

  /** Prints for people. */
  public void table(Paint paint) {
    Standing first = standings.get(0);
    out.println(paint.strong(workers(setting.stage().run()) + ": " + promise(first.sample())));
    out.println(
        paint.faint(
            "%,d runs on %s, drawn by %s, seed %d; policy %s, %s."
                .formatted(
                    first.sample().runs(),
                    setting.market(),
                    setting.draw(),
                    setting.seed(),
                    first.policy(),
                    checkpoints())));
    out.println();
    if (standings.size() > 1) {
      ranking(paint);
    } else {
      distribution(first.sample(), paint);
      out.println();
      money(first.sample(), paint);
    }
    if (curve != null) {
      out.println();
      intervals(curve, paint);
    }
    double bound = setting.meanBound();
    if (Double.isFinite(bound)) {
      out.println();
      out.println(
          "With perfect foresight no cluster that grows and shrinks could pay less than %s on average."
              .formatted(usd(bound)));
    }
  }

  private String promise(Sample sample) {
    String text =
        "about %s, %s".formatted(time(sample.makespan().at(0.5)), usd(sample.cost().mean()));
    if (sample.unfinished() > 0) {
      text +=
          ", not done at the end in %s of runs"
              .formatted(Numbers.percent((double) sample.unfinished() / sample.runs()));
    }
    double deadline = setting.stage().scenario().deadlineSeconds();
    if (Double.isFinite(deadline)) {
      double[] range = sample.missedInterval();
      text +=
          ", %s chance of missing the deadline of %s (95 %% sure: %s to %s)"
              .formatted(
                  Numbers.percent(sample.missed()),
                  time(deadline),
                  Numbers.percent(range[0]),
                  Numbers.percent(range[1]));
    }
    return text + ".";
  }

  private void distribution(Sample sample, Paint paint) {
    Table table =
        new Table("", "MEAN>", "P5>", "P25>", "P50>", "P75>", "P95>", "95 % RANGE OF P95>");
    row(table, "cost", sample.cost(), SimulationReport::usd);
    row(table, "time", sample.makespan(), SimulationReport::time);
    row(table, "revocations", sample.losses(), v -> Numbers.print(v));
    table.print(out, paint, "");
  }

  private interface Print {
    String of(double value);
  }

  private static void row(Table table, String name, Quantiles values, Print print) {
    List<String> cells = new ArrayList<>();
    cells.add(name);
    cells.add(
        values.count() < 2
            ? print.of(values.mean())
            : print.of(values.mean()) + " ± " + print.of(values.meanMargin()));
    for (double share : SHARES) {
      cells.add(print.of(values.at(share)));
    }
    cells.add(print.of(values.low(0.95)) + " to " + print.of(values.high(0.95)));
    table.row(cells.toArray(String[]::new));
  }

  private void money(Sample sample, Paint paint) {
    Table table = new Table("PAID FOR", "MEAN>", "NODES DID", "MEAN>", "NODE TIME>");
    List<Map.Entry<Charge, Double>> bill =
        sample.meanBill().entrySet().stream().filter(e -> e.getValue() > 0).toList();
    List<Map.Entry<Activity, Double>> use =
        sample.meanUse().entrySet().stream()
            .filter(
                e -> e.getValue() > 0 || sample.meanNodeSeconds().getOrDefault(e.getKey(), 0.0) > 0)
            .toList();
    double all = sample.meanNodeSeconds().values().stream().mapToDouble(Double::doubleValue).sum();
    for (int i = 0; i < Math.max(bill.size(), use.size()); i++) {
      table.row(
          i < bill.size() ? name(bill.get(i).getKey()) : "",
          i < bill.size() ? usd(bill.get(i).getValue()) : "",
          i < use.size() ? name(use.get(i).getKey()) : "",
          i < use.size() ? usd(use.get(i).getValue()) : "",
          i < use.size()
              ? Numbers.percent(
                  sample.meanNodeSeconds().getOrDefault(use.get(i).getKey(), 0.0) / all)
              : "");
    }
    table.print(out, paint, "");
  }

  private void ranking(Paint paint) {
    Table table =
        new Table(
            "#>", "POLICY", "COST>", "P95>", "TIME>", "P95>", "MISSED>", "LOSSES>", "OVER BOUND>");
    int rank = 0;
    for (Standing standing : standings) {
      Sample sample = standing.sample();
      double gap = sample.cost().mean() / setting.meanBound() - 1;
      table.row(
          String.valueOf(++rank),
          standing.policy(),
          usd(sample.cost().mean()),
          usd(sample.cost().at(0.95)),
          time(sample.makespan().at(0.5)),
          time(sample.makespan().at(0.95)),
          Numbers.percent(sample.missed()),
          Numbers.print(sample.losses().mean()),
          Double.isFinite(gap) && sample.missed() == 0 ? Numbers.percent(gap) : "-");
    }
    table.print(out, paint, "");
  }

  private void intervals(IntervalCurve points, Paint paint) {
    Table table = new Table("CHECKPOINT EVERY>", "COST>", "P95>", "TIME>", "MISSED>", "");
    for (IntervalCurve.Point point : points.points()) {
      Sample sample = point.sample();
      table.row(
          time(point.seconds()),
          usd(sample.cost().mean()),
          usd(sample.cost().at(0.95)),
          time(sample.makespan().at(0.5)),
          Numbers.percent(sample.missed()),
          point.equals(points.best()) ? "<- best" : "");
    }
    table.print(out, paint, "");
  }

  /** Prints for spreadsheets: one line a policy. */
  public void csv() {
    Csv csv = new Csv(out);
    csv.row(
        "policy",
        "runs",
        "mean_usd",
        "mean_usd_margin",
        "p5_usd",
        "p50_usd",
        "p95_usd",
        "p50_seconds",
        "p95_seconds",
        "missed",
        "unfinished",
        "mean_revocations",
        "mean_bound_usd");
    for (Standing standing : standings) {
      Sample sample = standing.sample();
      csv.row(
          standing.policy(),
          sample.runs(),
          sample.cost().mean(),
          sample.cost().meanMargin(),
          sample.cost().at(0.05),
          sample.cost().at(0.5),
          sample.cost().at(0.95),
          sample.makespan().at(0.5),
          sample.makespan().at(0.95),
          sample.missed(),
          sample.unfinished(),
          sample.losses().mean(),
          setting.meanBound());
    }
  }

  /** Prints for programs. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/simulation/v1");
          json.put("market", setting.market());
          json.put("draw", setting.draw());
          json.put("seed", setting.seed());
          json.put("runs", standings.get(0).sample().runs());
          json.put("deadlineSeconds", setting.stage().scenario().deadlineSeconds());
          json.put("meanBoundUsd", setting.meanBound());
          json.texts("notes", setting.notes());
          json.array(
              "policies",
              policies -> {
                for (Standing standing : standings) {
                  policies.object(p -> standing(p, standing));
                }
              });
          if (curve != null) {
            IntervalCurve points = curve;
            json.array(
                "intervals",
                list -> {
                  for (IntervalCurve.Point point : points.points()) {
                    list.object(
                        p -> {
                          p.put("seconds", point.seconds());
                          p.put("best", point.equals(points.best()));
                          sample(p, point.sample());
                        });
                  }
                });
          }
        });
  }

  private static void standing(Json json, Standing standing) throws IOException {
    json.put("policy", standing.policy());
    sample(json, standing.sample());
    json.object(
        "billUsd",
        b -> {
          for (Map.Entry<Charge, Double> e : standing.sample().meanBill().entrySet()) {
            b.put(key(e.getKey()), e.getValue());
          }
        });
    json.object(
        "useUsd",
        u -> {
          for (Map.Entry<Activity, Double> e : standing.sample().meanUse().entrySet()) {
            u.put(key(e.getKey()), e.getValue());
          }
        });
    json.object(
        "nodeSeconds",
        n -> {
          for (Map.Entry<Activity, Double> e : standing.sample().meanNodeSeconds().entrySet()) {
            n.put(key(e.getKey()), e.getValue());
          }
        });
  }

  private static void sample(Json json, Sample sample) throws IOException {
    json.object("usd", u -> quantiles(u, sample.cost()));
    json.object("seconds", s -> quantiles(s, sample.makespan()));
    json.object("revocations", r -> quantiles(r, sample.losses()));
    json.put("missed", sample.missed());
    json.numbers("missedInterval", sample.missedInterval());
    json.put("unfinished", sample.unfinished());
  }

  private static void quantiles(Json json, Quantiles values) throws IOException {
    json.put("mean", values.mean());
    json.put("meanMargin", values.meanMargin());
    for (double share : SHARES) {
      json.put("p" + Math.round(share * 100), values.at(share));
    }
    json.numbers("p95Interval", new double[] {values.low(0.95), values.high(0.95)});
  }

  private String checkpoints() {
    Interval interval = setting.stated();
    if (interval instanceof Interval.Fixed fixed) {
      return "a checkpoint every " + time(fixed.seconds());
    }
    return interval instanceof Interval.YoungDaly
        ? "checkpoints by Young and Daly's rule"
        : "no checkpoints";
  }

  private static String workers(PlannedRun run) {
    return run.workers().stream()
        .map(
            g ->
                "%d x %s %s in %s"
                    .formatted(g.count(), g.pool().instanceType(), g.market(), g.pool().place()))
        .collect(Collectors.joining(" + "));
  }

  private static String name(Enum<?> value) {
    return value.toString().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns ON_DEMAND as onDemand. */
  private static String key(Enum<?> value) {
    String[] words = value.toString().toLowerCase(Locale.ROOT).split("_", -1);
    StringBuilder key = new StringBuilder(words[0]);
    for (int i = 1; i < words.length; i++) {
      key.append(Character.toUpperCase(words[i].charAt(0))).append(words[i].substring(1));
    }
    return key.toString();
  }

  private static String usd(double value) {
    return Figures.dollars(value);
  }

  private static String time(double seconds) {
    return Durations.print(Durations.ofSeconds(seconds));
  }
}
