package io.deepvm.cli.print;

import io.deepvm.base.Durations;
import io.deepvm.base.Money;
import io.deepvm.base.Numbers;
import io.deepvm.catalog.Offer;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Plan;
import io.deepvm.planner.Role;
import io.deepvm.simulator.RunStatistics;
import io.deepvm.simulator.Sample;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** Plans ranked by what they come to on a spot market. */
public final class RiskReport {

  /**
   * A plan and its runs.
   *
   * @param quantileUsd dollars that the asked share of all runs does not exceed; infinite when
   *     fewer runs are done by the horizon
   * @param holds whether that share meets the deadline and the cost
   * @param borrowed the losses of other pools that the runs live with; null where there are own
   */
  public record Candidate(
      Plan plan,
      Sample sample,
      double quantileUsd,
      boolean holds,
      @Nullable BorrowedLosses borrowed) {

    /** Returns a sentence with its full stop, and the warning that losses are borrowed. */
    private String warned(String sentence) {
      return sentence + "." + (borrowed == null ? "" : " " + borrowed.warning());
    }
  }

  /** One more node that stays, and what the runs come to with it. */
  public record ExtraNode(Offer offer, Sample sample) {}

  private final PrintWriter out;
  private final Goal goal;
  private final double confidence;
  private final List<Candidate> candidates;
  private final Plan onPaper;
  private final @Nullable ExtraNode extra;

  /**
   * Reports candidates, the best first.
   *
   * @param onPaper the plan that would be chosen without the market
   */
  public RiskReport(
      PrintWriter out,
      Goal goal,
      double confidence,
      List<Candidate> candidates,
      Plan onPaper,
      @Nullable ExtraNode extra) {
    this.out = out;
    this.goal = goal;
    this.confidence = confidence;
    this.candidates = candidates;
    this.onPaper = onPaper;
    this.extra = extra;
  }

  /** Prints for people: the choice, the first few in a table, and why. */
  public void table(Paint paint, int top) {
    Candidate best = candidates.get(0);
    out.println(paint.strong(best.warned(Clusters.nodes(best.plan()) + ": " + promise(best))));
    out.println();
    Table table =
        new Table(
            "#>",
            "ARCHITECTURE",
            "WORKERS",
            "PLACE",
            "ON PAPER>",
            "MEAN>",
            quantile() + ">",
            "TIME " + quantile() + ">",
            "MISSED>",
            "");
    int rank = 0;
    for (Candidate candidate : candidates.subList(0, Math.min(top, candidates.size()))) {
      Plan plan = candidate.plan();
      Money cost = plan.predicted().cost();
      table.row(
          String.valueOf(++rank),
          plan.architecture(),
          Clusters.groups(plan, Role.WORKER),
          Clusters.placeNames(plan),
          cost == null ? "-" : Figures.dollars(cost.dollars()),
          mean(candidate.sample()),
          most(candidate.quantileUsd(), Figures::dollars),
          most(candidate.sample().secondsAt(confidence), RiskReport::time),
          Numbers.percent(candidate.sample().missed()),
          candidate.holds() ? "" : "does not hold");
    }
    table.print(out, paint, "");
    if (candidates.stream().limit(top).anyMatch(c -> c.sample().unfinished() > 0)) {
      out.println(
          paint.faint(
              "MEAN is of the runs that were done. A run that is not done within its horizon (%s for the first plan) counts as late and as too dear."
                  .formatted(time(best.sample().horizonSeconds()))));
    }
    out.println();
    out.println("Why the first:");
    why().forEach(reason -> out.println("- " + reason));
  }

  private String promise(Candidate best) {
    RunStatistics done = best.sample().done();
    return (done == null ? "" : "about %s, ".formatted(time(done.seconds().at(0.5))))
        + risk(best.sample());
  }

  /** Returns mean, quantile and chances of a plan in words. */
  private String risk(Sample sample) {
    List<String> parts = new ArrayList<>();
    if (sample.finished() > 0) {
      parts.add(mean(sample) + " on average");
    }
    double quantileUsd = sample.usdAt(confidence);
    if (Double.isFinite(quantileUsd)) {
      parts.add(
          "%s of runs under %s"
              .formatted(Numbers.percent(confidence), Figures.dollars(quantileUsd)));
    }
    if (sample.unfinished() > 0) {
      parts.add(
          "not done within %s: %s"
              .formatted(time(sample.horizonSeconds()), Numbers.percent(sample.unfinishedShare())));
    }
    if (goal.deadline() != null) {
      double[] range = sample.missedInterval();
      parts.add(
          "%s chance of missing the deadline (95 %% sure: %s to %s)"
              .formatted(
                  Numbers.percent(sample.missed()),
                  Numbers.percent(range[0]),
                  Numbers.percent(range[1])));
    }
    return String.join(", ", parts);
  }

  /** Returns the mean cost of the runs that were done. */
  private static String mean(Sample sample) {
    RunStatistics done = sample.done();
    return done == null ? "-" : Figures.dollars(done.cost().mean());
  }

  private static String most(double value, DoubleFunction<String> print) {
    return Double.isInfinite(value) ? "not done" : print.apply(value);
  }

  /** Why the first is first, a sentence each. */
  public List<String> why() {
    Candidate best = candidates.get(0);
    List<String> why = new ArrayList<>();
    why.add(
        "Of %d plans tried in %,d runs each it has the least %s of cost among those that hold."
            .formatted(candidates.size(), best.sample().runs(), quantile()));
    if (!onPaper.equals(best.plan())) {
      candidates.stream()
          .filter(c -> c.plan().equals(onPaper))
          .findFirst()
          .ifPresent(
              c ->
                  why.add(
                      "On paper %s would be chosen; on this market it comes to %s."
                          .formatted(Clusters.nodes(onPaper), risk(c.sample()))));
    }
    if (extra != null) {
      why.add(
          "One more %s on demand (%s/h) would make it %s."
              .formatted(
                  extra.offer().machine().name(),
                  extra.offer().pricePerHour(),
                  risk(extra.sample())));
    }
    return why;
  }

  /** Returns the reason that none holds first, then ways out. */
  public List<String> infeasible() {
    Candidate nearest = candidates.get(0);
    Sample sample = nearest.sample();
    List<String> lines = new ArrayList<>();
    Duration deadline = goal.deadline();
    lines.add(
        nearest.warned(
            "None of %d plans meets %s with a probability of %s on this market; the nearest, %s, comes to %s"
                .formatted(
                    candidates.size(),
                    deadline == null ? "the cost" : "the deadline of " + Durations.print(deadline),
                    Numbers.percent(confidence),
                    Clusters.nodes(nearest.plan()),
                    risk(sample))));
    List<String> ways = new ArrayList<>();
    double seconds = sample.secondsAt(confidence);
    if (deadline != null && sample.missed() > 1 - confidence) {
      if (Double.isFinite(seconds)) {
        ways.add("raise --deadline to %s".formatted(time(seconds)));
      }
      double met = Math.floor((1 - sample.missed()) * 100) / 100;
      if (met > 0) {
        ways.add("lower --confidence to %s".formatted(Numbers.print(met)));
      }
    }
    Money most = goal.maxCost();
    if (most != null
        && nearest.quantileUsd() > most.dollars()
        && Double.isFinite(nearest.quantileUsd())) {
      ways.add("raise --max-cost to %s".formatted(Figures.dollars(nearest.quantileUsd())));
    }
    if (ways.isEmpty()) {
      ways.add("allow workers on demand, other places or more nodes");
    }
    lines.add("Maybe %s.".formatted(String.join(", or ", ways)));
    return lines;
  }

  /**
   * Writes what a plan's runs came to, under the key "simulated". Means and quantiles are of the
   * runs that were done; quantileUsd counts the others as infinite, which is null.
   */
  static void json(Json json, Candidate candidate) throws IOException {
    Sample sample = candidate.sample();
    RunStatistics done = sample.done();
    json.object(
        "simulated",
        s -> {
          s.put("runs", sample.runs());
          s.put("holds", candidate.holds());
          s.put("meanUsd", done == null ? null : done.cost().mean());
          s.put("p95Usd", done == null ? null : done.cost().at(0.95));
          s.put("quantileUsd", candidate.quantileUsd());
          s.put("medianSeconds", done == null ? null : done.seconds().at(0.5));
          s.put("p95Seconds", done == null ? null : done.seconds().at(0.95));
          s.put("missed", sample.missed());
          s.numbers("missedInterval", sample.missedInterval());
          if (candidate.borrowed() != null) {
            candidate.borrowed().json(s);
          }
          s.put("unfinished", sample.unfinished());
          s.put("finished", sample.finished());
          s.put("unfinishedShare", sample.unfinishedShare());
          s.put("horizonSeconds", sample.horizonSeconds());
        });
  }

  private String quantile() {
    return "P" + Numbers.print(100 * confidence);
  }

  private static String time(double seconds) {
    return Durations.print(Durations.ofSeconds(seconds));
  }
}
