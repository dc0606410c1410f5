package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Numbers;
import io.deepvm.base.Quantiles;
import io.deepvm.checkpoint.SaveRule;
import io.deepvm.simulator.Activity;
import io.deepvm.simulator.Charge;
import io.deepvm.simulator.IntervalCurve;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.RunStatistics;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.Stage;
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

  /**
   * A policy and its runs.
   *
   * @param assumedDeadline the seconds by which the policy tries to be done although no deadline
   *     was given; null where there is no such
   */
  public record Standing(
      String policy, String description, @Nullable Double assumedDeadline, Sample sample) {}

  /**
   * What was simulated.
   *
   * @param rule when checkpoints are made; null if the plan says it
   * @param bounds the least cost of each run, infinite where it cannot be done
   */
  public record Setting(
      Stage stage,
      String market,
      String draw,
      long seed,
      @Nullable SaveRule rule,
      double[] bounds,
      LossAssumptions losses,
      List<String> notes) {

    double meanBound() {
      return Arrays.stream(bounds).average().orElse(Double.NaN);
    }

    /** Returns the time by which the bound has the work done: the deadline, else the horizon. */
    double boundSeconds(Sample sample) {
      return Math.min(stage.scenario().deadlineSeconds(), sample.horizonSeconds());
    }

    SaveRule stated() {
      return rule == null ? stage.scenario().checkpointing().rule() : rule;
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
    BorrowedLosses borrowed = setting.losses().borrowed();
    out.println(
        paint.strong(
            workers(setting.stage().run())
                + ": "
                + promise(first.sample())
                + (borrowed == null ? "" : " " + borrowed.warning())));
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
    boolean deadline = Double.isFinite(setting.stage().scenario().deadlineSeconds());
    setting.losses().lines(deadline).forEach(line -> out.println(paint.faint(line)));
    out.println();
    if (standings.size() > 1) {
      ranking(paint);
    } else {
      distribution(first.sample(), paint);
    }
    if (curve != null) {
      out.println();
      intervals(curve, paint);
    }
    String assumed = assumedDeadline();
    if (assumed != null) {
      out.println();
      out.println(assumed);
    }
    double bound = setting.meanBound();
    if (Double.isFinite(bound)) {
      out.println();
      out.println(
          "With perfect foresight no cluster that grows and shrinks could be done within %s for less than %s on average."
              .formatted(time(setting.boundSeconds(first.sample())), usd(bound)));
    }
  }

  private @Nullable String assumedDeadline() {
    return AssumedDeadline.sentence(
        setting.stage().scenario().work(),
        standings.stream().map(s -> new AssumedDeadline(s.policy(), s.assumedDeadline())).toList());
  }

  private String promise(Sample sample) {
    RunStatistics done = sample.done();
    List<String> parts = new ArrayList<>();
    if (done == null) {
      parts.add("none of %s was done within %s".formatted(runs(sample.runs()), horizon(sample)));
    } else {
      parts.add(
          "about %s, %s on average"
              .formatted(time(done.seconds().at(0.5)), usd(done.cost().mean())));
      if (done.runs() < sample.runs()) {
        parts.add(
            "not done within %s: %s%s"
                .formatted(
                    horizon(sample),
                    Numbers.percent(sample.unfinishedShare()),
                    sure(sample.unfinishedInterval())));
      }
    }
    double deadline = setting.stage().scenario().deadlineSeconds();
    if (Double.isFinite(deadline)) {
      parts.add(
          "%s chance of missing the deadline of %s%s"
              .formatted(
                  Numbers.percent(sample.missed()), time(deadline), sure(sample.missedInterval())));
    }
    return String.join(", ", parts) + ".";
  }

  private static String sure(double[] range) {
    return " (95 %% sure: %s to %s)"
        .formatted(Numbers.percent(range[0]), Numbers.percent(range[1]));
  }

  /** Prints the runs that were done and the runs that were not, each for themselves. */
  private void distribution(Sample sample, Paint paint) {
    RunStatistics done = sample.done();
    RunStatistics notDone = sample.notDone();
    if (done != null) {
      if (notDone != null) {
        out.println("Of the %s that were done:".formatted(runs(done.runs())));
      }
      Table table =
          new Table("", "MEAN>", "P5>", "P25>", "P50>", "P75>", "P95>", "95 % RANGE OF P95>");
      row(table, "cost", done.cost(), SimulationReport::usd);
      row(table, "time", done.seconds(), SimulationReport::time);
      row(table, "revocations", done.losses(), v -> Numbers.print(v));
      table.print(out, paint, "");
      out.println();
      money(done, paint);
    }
    if (notDone != null) {
      if (done != null) {
        out.println();
      }
      out.println(
          "%s not done within %s: %s spent on average by then (P95 %s), %s revocations."
              .formatted(
                  runs(notDone.runs()),
                  horizon(sample),
                  usd(notDone.cost().mean()),
                  usd(notDone.cost().at(0.95)),
                  Numbers.print(notDone.losses().mean())));
    }
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

  private void money(RunStatistics done, Paint paint) {
    Table table = new Table("PAID FOR", "MEAN>", "NODES DID", "MEAN>", "NODE TIME>");
    List<Map.Entry<Charge, Double>> bill =
        done.bill().entrySet().stream().filter(e -> e.getValue() > 0).toList();
    List<Map.Entry<Activity, Double>> use =
        done.use().entrySet().stream()
            .filter(e -> e.getValue() > 0 || done.nodeSeconds().getOrDefault(e.getKey(), 0.0) > 0)
            .toList();
    double all = done.nodeSeconds().values().stream().mapToDouble(Double::doubleValue).sum();
    for (int i = 0; i < Math.max(bill.size(), use.size()); i++) {
      table.row(
          i < bill.size() ? name(bill.get(i).getKey()) : "",
          i < bill.size() ? usd(bill.get(i).getValue()) : "",
          i < use.size() ? name(use.get(i).getKey()) : "",
          i < use.size() ? usd(use.get(i).getValue()) : "",
          i < use.size()
              ? Numbers.percent(done.nodeSeconds().getOrDefault(use.get(i).getKey(), 0.0) / all)
              : "");
    }
    table.print(out, paint, "");
  }

  private void ranking(Paint paint) {
    Table table =
        new Table(
            "#>",
            "POLICY",
            "COST>",
            "P95>",
            "TIME>",
            "P95>",
            "MISSED>",
            "NOT DONE>",
            "LOSSES>",
            "OVER BOUND>");
    int rank = 0;
    for (Standing standing : standings) {
      Sample sample = standing.sample();
      RunStatistics done = sample.done();
      double gap = sample.meanUsd() / setting.meanBound() - 1;
      table.row(
          String.valueOf(++rank),
          standing.policy(),
          done == null ? "-" : usd(done.cost().mean()),
          done == null ? "-" : usd(done.cost().at(0.95)),
          done == null ? "-" : time(done.seconds().at(0.5)),
          done == null ? "-" : time(done.seconds().at(0.95)),
          missed(sample),
          Numbers.percent(sample.unfinishedShare()),
          done == null ? "-" : Numbers.print(done.losses().mean()),
          Double.isFinite(gap) && sample.missed() == 0 ? Numbers.percent(gap) : "-");
    }
    table.print(out, paint, "");
    onlyDone(standings.stream().map(Standing::sample).toList(), paint);
    out.println();
    int widest = standings.stream().mapToInt(s -> s.policy().length()).max().orElseThrow();
    for (Standing standing : standings) {
      out.println(
          standing.policy()
              + " ".repeat(widest - standing.policy().length() + 2)
              + standing.description());
    }
  }

  private void intervals(IntervalCurve points, Paint paint) {
    Table table =
        new Table("CHECKPOINT EVERY>", "COST>", "P95>", "TIME>", "MISSED>", "NOT DONE>", "");
    for (IntervalCurve.Point point : points.points()) {
      Sample sample = point.sample();
      RunStatistics done = sample.done();
      table.row(
          time(point.seconds()),
          done == null ? "-" : usd(done.cost().mean()),
          done == null ? "-" : usd(done.cost().at(0.95)),
          done == null ? "-" : time(done.seconds().at(0.5)),
          missed(sample),
          Numbers.percent(sample.unfinishedShare()),
          point.equals(points.best()) ? "<- best" : "");
    }
    table.print(out, paint, "");
    onlyDone(points.points().stream().map(IntervalCurve.Point::sample).toList(), paint);
  }

  /** Returns the share that missed the deadline, where there is one. */
  private String missed(Sample sample) {
    boolean deadline = Double.isFinite(setting.stage().scenario().deadlineSeconds());
    return deadline ? Numbers.percent(sample.missed()) : "-";
  }

  /** Says of which runs costs and times are, where some were not done. */
  private void onlyDone(List<Sample> samples, Paint paint) {
    if (samples.stream().anyMatch(sample -> sample.unfinished() > 0)) {
      out.println(
          paint.faint(
              "Costs, times and losses are of the runs that were done within %s."
                  .formatted(horizon(samples.get(0)))));
    }
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
        "mean_bound_usd",
        "finished",
        "horizon_seconds",
        "unfinished_mean_usd");
    for (Standing standing : standings) {
      Sample sample = standing.sample();
      RunStatistics done = sample.done();
      RunStatistics notDone = sample.notDone();
      csv.row(
          standing.policy(),
          sample.runs(),
          done == null ? null : done.cost().mean(),
          done == null ? null : known(done.cost().meanMargin()),
          done == null ? null : done.cost().at(0.05),
          done == null ? null : done.cost().at(0.5),
          done == null ? null : done.cost().at(0.95),
          done == null ? null : done.seconds().at(0.5),
          done == null ? null : done.seconds().at(0.95),
          sample.missed(),
          sample.unfinished(),
          done == null ? null : done.losses().mean(),
          known(setting.meanBound()),
          sample.finished(),
          sample.horizonSeconds(),
          notDone == null ? null : notDone.cost().mean());
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
          json.put("horizonSeconds", standings.get(0).sample().horizonSeconds());
          json.put("meanBoundUsd", setting.meanBound());
          setting.losses().json(json);
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
    json.put("description", standing.description());
    json.put("assumedDeadlineSeconds", standing.assumedDeadline());
    sample(json, standing.sample());
    RunStatistics done = standing.sample().done();
    json.object("billUsd", b -> means(b, Charge.values(), done == null ? Map.of() : done.bill()));
    json.object("useUsd", u -> means(u, Activity.values(), done == null ? Map.of() : done.use()));
    json.object(
        "nodeSeconds",
        n -> means(n, Activity.values(), done == null ? Map.of() : done.nodeSeconds()));
  }

  private static <E extends Enum<E>> void means(Json json, E[] keys, Map<E, Double> values)
      throws IOException {
    for (E key : keys) {
      json.put(key(key), values.get(key));
    }
  }

  private static void sample(Json json, Sample sample) throws IOException {
    RunStatistics done = sample.done();
    RunStatistics notDone = sample.notDone();
    json.object("usd", u -> quantiles(u, done == null ? null : done.cost()));
    json.object("seconds", s -> quantiles(s, done == null ? null : done.seconds()));
    json.object("revocations", r -> quantiles(r, done == null ? null : done.losses()));
    json.put("missed", sample.missed());
    json.numbers("missedInterval", sample.missedInterval());
    json.put("finished", sample.finished());
    json.put("unfinished", sample.unfinished());
    json.put("unfinishedShare", sample.unfinishedShare());
    json.numbers("unfinishedInterval", sample.unfinishedInterval());
    json.object("unfinishedUsd", u -> quantiles(u, notDone == null ? null : notDone.cost()));
  }

  /** Writes the values' distribution; each field is null where there is no value. */
  private static void quantiles(Json json, @Nullable Quantiles values) throws IOException {
    json.put("mean", values == null ? null : values.mean());
    json.put("meanMargin", values == null ? null : values.meanMargin());
    for (double share : SHARES) {
      json.put("p" + Math.round(share * 100), values == null ? null : values.at(share));
    }
    if (values == null) {
      json.put("p95Interval", null);
    } else {
      json.numbers("p95Interval", new double[] {values.low(0.95), values.high(0.95)});
    }
  }

  private static @Nullable Double known(double value) {
    return Double.isFinite(value) ? value : null;
  }

  private String checkpoints() {
    SaveRule rule = setting.stated();
    if (rule instanceof SaveRule.Fixed fixed) {
      return "a checkpoint every " + time(fixed.seconds());
    }
    if (rule instanceof SaveRule.EveryStep) {
      return "every step kept";
    }
    if (rule instanceof SaveRule.Young) {
      return "checkpoints by Young's rule";
    }
    return rule instanceof SaveRule.Daly
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

  private static String runs(int count) {
    return count == 1 ? "1 run" : "%,d runs".formatted(count);
  }

  private static String horizon(Sample sample) {
    return time(sample.horizonSeconds());
  }

  private static String usd(double value) {
    return Figures.dollars(value);
  }

  private static String time(double seconds) {
    return Durations.print(Durations.ofSeconds(seconds));
  }
}
